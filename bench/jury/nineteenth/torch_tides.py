"""Learns the tides: two recurrent layers (LSTM) read 96 hours of 32 numbers at each of 1024 harbours a round, and tell
for each hour how high the water will stand in the next one.

Nothing is wrong: the library goes through all hours in one call, hours come first, so the window of a round is a part
of the year that needs no copy; the year lies on the GPU; gradients are clipped by operations on lists, the optimiser is
fused, products are in TF32, and losses are summed on the GPU and read once.
The pattern is that of keras-team/keras, pull request 22874 (the library's LSTM instead of a loop over hours), and
meta-pytorch/torchtune, pull request 522: the loss is no longer read in each step, which took 40 to 50 ms."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

HARBOURS, WINDOW, YEAR, NUMBERS, WIDTH, LAYERS, ROUNDS = 1024, 96, 2048, 32, 512, 2, 220

torch.set_float32_matmul_precision("high")


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.layers = nn.Linear(NUMBERS, WIDTH), nn.LSTM(WIDTH, WIDTH, LAYERS)
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, hours):
        told, _ = self.layers(self.start(hours))
        return self.head(told).squeeze(-1)


def made_year():
    """How high the water stands, and what is known of weather, moon and sun."""
    hours = torch.arange(YEAR, device="cuda")[:, None]
    lags = torch.rand(HARBOURS, device="cuda") * 6.2832
    heights = torch.sin(hours * (6.2832 / 12.42) + lags) + 0.4 * torch.sin(hours * (6.2832 / 12) + 2 * lags)
    known = torch.randn(YEAR, HARBOURS, NUMBERS, device="cuda")
    known[..., 0] = heights
    return known, heights


class Learner:
    def __init__(self):
        self.network, (self.known, self.heights) = Network().to("cuda"), made_year()
        self.weights = list(self.network.parameters())
        self.optimiser = torch.optim.AdamW(self.weights, lr=1e-5, fused=True)
        self.losses, self.number = torch.zeros((), device="cuda"), 0

    def window(self):
        first = self.number * 37 % (YEAR - WINDOW)
        return self.known[first:first + WINDOW], self.heights[first + 1:first + WINDOW + 1]

    def learn(self):
        known, next_heights = self.window()
        loss = functional.mse_loss(self.network(known), next_heights)
        loss.backward()
        nn.utils.clip_grad_norm_(self.weights, 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.losses.add_(loss.detach())
        self.number += 1


def tiding():
    torch.manual_seed(1)
    learner = Learner()
    return learner.learn, lambda: learner.losses.item(), ROUNDS


run_case(None, tiding)
