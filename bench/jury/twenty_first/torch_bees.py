"""Learns what bees do in a hive: each round a network is trained on the tracks of 1024 bees, of 64 moments each, and
tells which of seven tasks each bee has. A block mixes the moments and then the numbers of each moment, both with gates.

The network with its loss is compiled, for forward and backward pass, before the rounds begin; tracks lie on the GPU."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

BEES, MOMENTS, NUMBERS, TASKS, WIDTH, INNER, BLOCKS, SETS, RATE, ROUNDS = 1024, 64, 16, 7, 384, 1024, 6, 24, 1e-5, 250


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, state):
        wide = state.float()
        return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6) * self.weight).to(state.dtype)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = Norm(), Norm()
        self.moments = nn.Parameter(torch.randn(MOMENTS, MOMENTS) * MOMENTS ** -0.5)
        self.gate, self.up = (nn.Linear(WIDTH, INNER, bias=False) for _ in range(2))
        self.down = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, state):
        normal = self.norm(state)
        moments = self.moments.to(normal.dtype).expand(BEES, MOMENTS, MOMENTS)
        state = state + torch.bmm(moments, normal) * torch.sigmoid(normal)
        normal = self.second_norm(state)
        return state + self.down(functional.silu(self.gate(normal)) * self.up(normal))


class Watcher(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.places = nn.Linear(NUMBERS, WIDTH), nn.Parameter(torch.randn(MOMENTS, WIDTH) * 0.02)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm, self.head = Norm(), nn.Linear(WIDTH, TASKS)

    def forward(self, tracks, tasks):
        """The loss."""
        with torch.autocast("cuda", dtype=torch.bfloat16):
            state = self.start(tracks)
            state = self.blocks(state + self.places.to(state.dtype))
            told = self.head(self.norm(state).mean(1))
        return functional.cross_entropy(told.float(), tasks, label_smoothing=0.1)


class Learner:
    def __init__(self):
        with torch.device("cuda"):
            self.watcher = Watcher()
            self.sets, self.losses = [self.made_set() for _ in range(SETS)], torch.zeros(())
        self.loss_of = torch.compile(self.watcher, dynamic=False)
        self.optimiser = torch.optim.AdamW(self.watcher.parameters(), lr=RATE, weight_decay=0.05, fused=True)
        self.number = 0
        self.learn()
        self.losses.zero_()

    @staticmethod
    def made_set():
        """Tracks, and the task of each bee."""
        tracks = (torch.randn(BEES, MOMENTS, NUMBERS) * 0.1).cumsum(1)
        return tracks.to(torch.bfloat16), torch.randint(TASKS, (BEES,))

    def learn(self):
        loss = self.loss_of(*self.sets[self.number % SETS])
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.losses.add_(loss.detach())
        self.number += 1


def swarming():
    torch.manual_seed(1)
    learner = Learner()
    return learner.learn, lambda: learner.losses.item(), ROUNDS


run_case(None, swarming)
