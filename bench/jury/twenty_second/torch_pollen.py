"""Foretells pollen: each round, a network carries what is in the air of 65536 places six hours further, hour by hour,
with the weather of each hour, and tells how much pollen of 24 kinds there is.

An hour is one compiled function, in bfloat16; air and weather lie on the GPU."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PLACES, WIDTH, INNER, WEATHER, KINDS, BLOCKS, HOURS, DAY, ROUNDS = 65536, 512, 1024, 64, 24, 2, 6, 24, 280


def evened(state):
    wide = state.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)).to(state.dtype)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up = (nn.Linear(WIDTH, INNER, bias=False) for _ in range(2))
        self.down = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, state):
        normal = evened(state)
        return state + self.down(functional.silu(self.gate(normal)) * self.up(normal))


class Hour(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = nn.Linear(WEATHER, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.head = nn.Linear(WIDTH, KINDS)

    def forward(self, air, weather):
        """The air an hour later, and how much pollen there is in the mean."""
        after = evened(self.blocks(air + self.start(weather)))
        return after, functional.softplus(self.head(after).float()).mean()


class Forecast:
    @torch.no_grad()
    def __init__(self):
        torch.set_default_dtype(torch.bfloat16)
        with torch.device("cuda"):
            network = Hour().eval()
            self.air = evened(torch.randn(PLACES, WIDTH))
            self.weather = [torch.randn(PLACES, WEATHER) for _ in range(DAY)]
        torch.set_default_dtype(torch.float32)
        self.hour, self.number = torch.compile(network, dynamic=False), 0
        self.pollen = torch.zeros((), device="cuda")
        self.step()
        self.pollen.zero_()

    def step(self):
        self.air, pollen = self.hour(self.air, self.weather[self.number % DAY])
        self.pollen.add_(pollen)
        self.number += 1

    @torch.no_grad()
    def foretell(self):
        for _ in range(HOURS):
            self.step()


def blooming():
    torch.manual_seed(1)
    forecast = Forecast()
    return forecast.foretell, lambda: forecast.pollen.item(), ROUNDS


run_case(None, blooming)
