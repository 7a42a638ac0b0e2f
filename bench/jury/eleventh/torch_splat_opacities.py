"""Evens out the opacities of 16.8 million Gaussians of a scene: each moves towards the mean of six that are near in space.

At fault: the Gaussians lie in the order in which they were added, so neighbours in space lie all over the memory.
The pattern is that of openvdb/fvdb-reality-capture, pull request 233: rows in Morton order, so that what is near in space
is near in memory."""
import torch

from case import run_case

SIDE, NEAR, RATE, ROUNDS = 256, 6, 0.2, 1600
COUNT = SIDE ** 3
STEPS = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def added_gaussians():
    """Positions, opacities, and the numbers of the near ones; they come in any order, as training adds them."""
    torch.manual_seed(1)
    order = torch.randperm(COUNT, device="cuda")
    places = torch.empty_like(order)
    places[order] = torch.arange(COUNT, device="cuda")
    cells = torch.stack((order // SIDE ** 2, order // SIDE % SIDE, order % SIDE))
    near = torch.empty(NEAR, COUNT, device="cuda", dtype=torch.int64)
    for row, step in zip(near, STEPS):
        x, y, z = ((cell + by) % SIDE for cell, by in zip(cells, step))
        row.copy_(places[(x * SIDE + y) * SIDE + z])
    positions = cells + torch.rand(3, COUNT, device="cuda")
    return positions, torch.rand(COUNT, device="cuda"), near


def morton_codes(positions):
    codes = torch.zeros(COUNT, device="cuda", dtype=torch.int64)
    for axis, cells in enumerate(positions.long()):
        for bit in range(8):
            codes |= (cells >> bit & 1) << (3 * bit + axis)
    return codes


def sorted_gaussians(positions, opacities, near):
    order = morton_codes(positions).argsort()
    places = torch.empty_like(order)
    places[order] = torch.arange(COUNT, device="cuda")
    return positions[:, order], opacities[order], places[near[:, order]]


@torch.compile
def evened(opacities, near):
    total = opacities[near[0]]  # fault
    for row in near[1:]:
        total = total + opacities[row]  # fault
    return opacities + RATE * (total * (1 / NEAR) - opacities)


def evening(ordered):
    positions, opacities, near = ordered(*added_gaussians())
    state = [opacities]

    def one_round():
        state[0] = evened(state[0], near)  # fault

    return one_round, lambda: state[0].double().square().sum().item(), ROUNDS


run_case(lambda: evening(lambda *gaussians: gaussians), lambda: evening(sorted_gaussians))
