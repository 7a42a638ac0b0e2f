"""Learns what stands beside a road from scans by laser: a network like PointNet is trained on 128 clouds of 4096 points a round.
Each cloud is an array of its own in the host's memory.

At fault: each cloud is copied to the GPU by itself and then stacked there, so a round makes 128 copies of 48 KB and waits for
each, while the GPU idles; stack the clouds on the host, in pinned memory, and copy them at once.
The pattern is that of MPI-Dortmund/tomotwin-cryoet, pull request 105 (put together before they are moved to the GPU), and
asyml/texar-pytorch, pull request 213, where whole batches are moved instead of their parts, 15 % faster."""
import torch
from torch import nn

from case import run_case

CLOUDS, BATCH, POINTS, CLASSES, WIDTH, ROUNDS = 2048, 128, 4096, 40, 1024, 450

torch.set_float32_matmul_precision("high")


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.points = nn.Sequential(nn.Linear(3, 64), nn.ReLU(inplace=True), nn.Linear(64, 128), nn.ReLU(inplace=True),
                                    nn.Linear(128, WIDTH))
        self.whole = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(WIDTH, 512), nn.ReLU(inplace=True),
                                   nn.Linear(512, CLASSES))

    def forward(self, clouds):
        return self.whole(self.points(clouds).max(1).values)


def stack_on_device(clouds):
    return torch.stack([cloud.to("cuda") for cloud in clouds])  # fault


def stack_on_host(clouds):
    return torch.stack(clouds).pin_memory().to("cuda", non_blocking=True)


def turned(clouds):
    """About the vertical axis, each cloud by its own angle."""
    angles = torch.rand(BATCH, device="cuda") * 6.2832
    cosines, sines, zeros = angles.cos(), angles.sin(), torch.zeros_like(angles)
    turns = torch.stack((cosines, -sines, zeros, sines, cosines, zeros, zeros, zeros, zeros + 1), 1)
    return torch.bmm(clouds, turns.view(BATCH, 3, 3))


def scanning(stack):
    torch.manual_seed(1)
    network = Network().to("cuda")
    clouds = [cloud.clone() for cloud in torch.randn(CLOUDS, POINTS, 3, device="cuda").cpu()]
    classes = torch.randint(CLASSES, (CLOUDS,), device="cuda")
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-5, fused=True)
    losses, number = torch.zeros((), device="cuda"), [0]

    def one_round():
        first = number[0] * BATCH % CLOUDS
        found = network(turned(stack(clouds[first:first + BATCH])))  # fault
        loss = nn.functional.cross_entropy(found, classes[first:first + BATCH])
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses.add_(loss.detach())
        number[0] += 1

    return one_round, lambda: losses.item(), ROUNDS


run_case(lambda: scanning(stack_on_device), lambda: scanning(stack_on_host))
