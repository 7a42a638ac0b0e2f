"""Learns how many people will take the tram: each round is a step on 1024 windows of 512 hours, cut anywhere out of
what 2048 stops have counted in two years. A transformer reads patches of 16 hours and foretells the 64 hours that
follow, as three quantiles. Windows, network and loss are one compiled function; the table of counts lies on the GPU."""
import math

import torch
from torch import nn
from torch.nn import functional

from case import run_case

STOPS, HOURS, WINDOWS, SEEN, AHEAD, PATCH = 2048, 16384, 1024, 512, 64, 16
WIDTH, HEADS, LAYERS, RATE, DECAY, BOUND, ROUNDS = 512, 8, 4, 2e-4, 1e-2, 1.0, 220
PATCHES, QUANTILES = SEEN // PATCH, (0.1, 0.5, 0.9)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(WINDOWS, PATCHES, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Linear(PATCH, WIDTH), nn.Parameter(0.02 * torch.randn(PATCHES, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(PATCHES * WIDTH, AHEAD * len(QUANTILES))

    def forward(self, seen):
        state = self.layers(self.embed(seen.view(WINDOWS, PATCHES, PATCH)) + self.places)
        return self.head(self.norm(state).flatten(1)).view(WINDOWS, AHEAD, len(QUANTILES))


def made_counts():
    """People go to work by day and stay at home on Sundays; each stop has its own hours and its own size."""
    turns = torch.arange(HOURS, device="cuda") * (2 * math.pi / 24)
    size, phase, week = torch.rand(3, STOPS, 1, device="cuda")
    day = (turns + 2 * phase).sin() + 0.5 * (2 * turns + 4 * phase).sin() + 0.6 * (turns / 7 + 6 * week).cos()
    return (20 + 300 * size) * (2.2 + day + 0.2 * torch.randn(STOPS, HOURS, device="cuda"))


def error(forecaster, counts, stops, starts, quantiles):
    """Pinball loss of windows, each of which is scaled by the hours that are seen."""
    hours = starts[:, None] + torch.arange(SEEN + AHEAD, device=counts.device)
    windows = counts[stops[:, None], hours]
    spread, mean = torch.std_mean(windows[:, :SEEN], 1, keepdim=True)
    scaled = (windows - mean) / (spread + 1e-3)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        told = forecaster(scaled[:, :SEEN])
    miss = scaled[:, SEEN:, None] - told.float()
    return torch.maximum(quantiles * miss, (quantiles - 1) * miss).mean()


class Trainer:
    def __init__(self):
        with torch.device("cuda"):
            self.forecaster = Forecaster()
            self.quantiles, self.losses = torch.tensor(QUANTILES), torch.zeros(())
        self.counts, self.parts = made_counts(), list(self.forecaster.parameters())
        self.optimiser = torch.optim.AdamW(self.parts, lr=RATE, weight_decay=DECAY, fused=True)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimiser, 2 * ROUNDS)
        self.error = torch.compile(error, dynamic=False)
        self.learn()
        self.losses.zero_()

    def learn(self):
        stops = torch.randint(STOPS, (WINDOWS,), device="cuda")
        starts = torch.randint(HOURS - SEEN - AHEAD + 1, (WINDOWS,), device="cuda")
        loss = self.error(self.forecaster, self.counts, stops, starts, self.quantiles)
        loss.backward()
        nn.utils.clip_grad_norm_(self.parts, BOUND)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.schedule.step()
        self.losses.add_(loss.detach())


def riding():
    torch.manual_seed(1)
    trainer = Trainer()
    return trainer.learn, lambda: trainer.losses.item(), ROUNDS


run_case(None, riding)
