"""Learns how an asteroid pulls what flies around it: each round a network of 6 layers, which is given 16384 places as
waves of many lengths, is trained on the pulls that were measured there.

Nothing is wrong: a step is some hundred kernels of a few microseconds, which the host would launch more slowly than they
run, so forward pass, backward pass and optimiser are recorded once as a CUDA graph, and each round copies its places
to where the graph reads them and replays it; products are in bfloat16 by autocast, the optimiser is fused, and losses
are summed on the GPU.
The pattern is that of LibreYOLO/libreyolo, pull request 716 (trainings recorded as CUDA graphs, up to 3.6 times as
fast), and NVIDIA/apex, pull request 1522: an optimiser without waits, which can be recorded."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

BATCH, WAVES, WIDTH, LAYERS, ROCKS, SETS, RATE, ROUNDS = 16384, 128, 512, 6, 512, 64, 1e-5, 4500


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        sizes = [2 * WAVES] + [WIDTH] * LAYERS
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in zip(sizes, sizes[1:]))
        self.head = nn.Linear(WIDTH, 3)

    def forward(self, state):
        for layer in self.layers:
            state = functional.silu(layer(state))
        return self.head(state).float()


def pull_of_rocks(places, rocks):
    """The asteroid is a heap of rocks of the same mass."""
    far = places[:, None] - rocks
    return -(far / far.square().sum(-1, keepdim=True).pow(1.5)).mean(1)


def waves_of(places, lengths):
    phases = (places[:, :, None] * lengths).sum(1)
    return torch.cat((phases.sin(), phases.cos()), 1).to(torch.bfloat16)


def made_measurements():
    """Places as waves, and the pulls there."""
    with torch.device("cuda"):
        rocks, lengths = torch.randn(ROCKS, 3).mul_(0.2), torch.randn(3, WAVES).mul_(2)
        ways = functional.normalize(torch.randn(SETS, BATCH, 3), dim=-1)
        places = ways * (1 + torch.rand(SETS, BATCH, 1))
    waves, pulls = zip(*((waves_of(own, lengths), pull_of_rocks(own, rocks)) for own in places))
    return torch.stack(waves), torch.stack(pulls)


class Learner:
    def __init__(self):
        self.network, (self.waves, self.pulls) = Network().to("cuda"), made_measurements()
        self.optimiser = torch.optim.AdamW(self.network.parameters(), lr=RATE, fused=True, capturable=True)
        self.own_waves, self.own_pulls = self.waves[0].clone(), self.pulls[0].clone()
        self.losses, self.number = torch.zeros((), device="cuda"), 0
        self.graph = self.recorded()
        self.losses.zero_()

    def step(self):
        with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):
            loss = functional.mse_loss(self.network(self.own_waves), self.own_pulls)
        loss.backward()
        self.optimiser.step()
        self.losses.add_(loss.detach())

    def recorded(self):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.step()
                self.optimiser.zero_grad(set_to_none=True)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step()
        return graph

    def learn(self):
        self.own_waves.copy_(self.waves[self.number % SETS])
        self.own_pulls.copy_(self.pulls[self.number % SETS])
        self.graph.replay()
        self.number += 1


def orbiting():
    torch.manual_seed(1)
    learner = Learner()
    return learner.learn, lambda: learner.losses.item(), ROUNDS


run_case(None, orbiting)
