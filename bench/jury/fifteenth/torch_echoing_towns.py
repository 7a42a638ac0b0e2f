"""Foretells how much power 512 towns will use: a fixed network of 8192 cells a town echoes what was seen, hour by hour, and once
a day a layer reads the cells.

Nothing is wrong: the towns are columns of one product with all weights, which is bound by arithmetic; all results are written
where they belong, what is seen is on the device, and nothing waits for the host.
The pattern is that of tensorflow/addons, pull request 1811: a cell that leaks, in an echo state network."""
import torch

from case import run_case

CELLS, TOWNS, SEEN, ANSWERS, HOURS, DAY, LEAK, RADIUS, ROUNDS = 8192, 512, 16, 64, 240, 24, 0.3, 0.9, 28800

torch.set_float32_matmul_precision("high")


def made_network():
    weights = torch.randn(CELLS, CELLS, device="cuda") * (RADIUS / CELLS ** 0.5)
    inward = torch.randn(CELLS, SEEN, device="cuda") / SEEN ** 0.5
    outward = torch.randn(ANSWERS, CELLS, device="cuda") / CELLS ** 0.5
    return weights, inward, outward


def foretelling():
    torch.manual_seed(1)
    (weights, inward, outward), seen = made_network(), torch.randn(HOURS, SEEN, TOWNS, device="cuda").unbind()
    cells, fresh = torch.zeros(2, CELLS, TOWNS, device="cuda")
    answers, state = torch.empty(ANSWERS, TOWNS, device="cuda"), [0]

    @torch.no_grad()
    def one_round():
        torch.mm(inward, seen[state[0] % HOURS], out=fresh)
        cells.lerp_(fresh.addmm_(weights, cells).tanh_(), LEAK)
        state[0] += 1
        if state[0] % DAY == 0:
            torch.mm(outward, cells, out=answers)

    return one_round, lambda: answers.double().abs().sum().item(), ROUNDS


run_case(None, foretelling)
