"""Finds broken places of statues: each round, a graph network looks at scans of eight statues, 262144 points in all,
whose 16 neighbours each are known, and tells which of 12 kinds of damage each point has. Points of a scan follow a
curve through space, so neighbours are near each other in memory, too.

The network is one compiled function, in bfloat16; scans lie on the GPU."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

STATUES, POINTS, NEAR, REACH, SIZE, WIDTH, INNER, LAYERS, KINDS, SETS, ROUNDS = (
    8, 32768, 16, 200, 32, 128, 512, 4, 12, 4, 700)
ALL = STATUES * POINTS


class EdgeLayer(nn.Module):
    """A point hears from its neighbours the largest of each number."""
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.own, self.said = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, state, near):
        normal = self.norm(state)
        heard = self.said(normal)[near].amax(1)
        state = state + functional.relu(self.own(normal) + heard)
        return state + self.down(functional.relu(self.up(self.second_norm(state))))


class Inspector(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.head = nn.Linear(SIZE, WIDTH), nn.Linear(WIDTH, KINDS)
        self.layers = nn.ModuleList(EdgeLayer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, scan, near):
        """How much of each statue has each kind of damage."""
        state = self.start(scan)
        for layer in self.layers:
            state = layer(state, near)
        damage = self.head(self.norm(state)).float().softmax(1)
        return damage.view(STATUES, POINTS, KINDS).mean(1)


def made_neighbours():
    """Indices into all points; no statue has neighbours in another one."""
    there = torch.arange(POINTS, device="cuda")[:, None]
    jumps = torch.randint(-REACH, REACH + 1, (STATUES, POINTS, NEAR), device="cuda")
    near = (there + jumps).clamp_(0, POINTS - 1)
    return (near + POINTS * torch.arange(STATUES, device="cuda")[:, None, None]).view(ALL, NEAR)


class Restorer:
    @torch.no_grad()
    def __init__(self):
        with torch.device("cuda"):
            inspector = Inspector().to(torch.bfloat16).eval()
            self.scans = [torch.randn(ALL, SIZE).to(torch.bfloat16) for _ in range(SETS)]
            self.damage = torch.zeros(STATUES, KINDS)
        self.near = [made_neighbours() for _ in range(SETS)]
        self.inspect, self.number = torch.compile(inspector, dynamic=False), 0
        self.look()
        self.damage.zero_()

    @torch.no_grad()
    def look(self):
        own = self.number % SETS
        self.damage.add_(self.inspect(self.scans[own], self.near[own]))
        self.number += 1

    def total(self):
        return self.damage[:, ::2].sum().item()


def restoring():
    torch.manual_seed(1)
    restorer = Restorer()
    return restorer.look, restorer.total, ROUNDS


run_case(None, restoring)
