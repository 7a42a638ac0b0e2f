"""Passes messages along a mesh of 262,144 points with eight neighbours each, in four layers.

Nothing is wrong: neighbours are averaged by one kernel that reads whole rows, and lie near one another in memory.
The pattern is that of pyg-team/pytorch_geometric, torch_geometric/nn/conv/sage_conv.py, with bags."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

POINTS, NEIGHBOURS, NEAR, WIDTH, LAYERS, ROUNDS = 262144, 8, 64, 128, 4, 600

torch.set_float32_matmul_precision("high")


class Messages(nn.Module):
    def __init__(self):
        super().__init__()
        self.own, self.others = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, points, neighbours):
        around = functional.embedding_bag(neighbours, points, mode="mean")
        return functional.relu_(self.own(points).addmm_(around, self.others.weight.t()))


def passing():
    torch.manual_seed(1)
    layers = nn.ModuleList(Messages() for _ in range(LAYERS)).to("cuda")
    points = torch.randn(POINTS, WIDTH, device="cuda")
    steps = torch.randint(-NEAR, NEAR + 1, (POINTS, NEIGHBOURS), device="cuda")
    neighbours = (torch.arange(POINTS, device="cuda")[:, None] + steps).clamp_(0, POINTS - 1).sort(dim=1).values
    kept = [None]

    @torch.no_grad()
    def one_round():
        hidden = points
        for layer in layers:
            hidden = layer(hidden, neighbours)
        kept[0] = hidden

    return one_round, lambda: kept[0].double().square().sum().item(), ROUNDS


run_case(None, passing)
