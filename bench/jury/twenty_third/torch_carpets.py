"""Draws carpets by diffusion: each round begins with noise for 64 carpets, of 256 tiles of 64 numbers each, and takes
eight steps with a compiled transformer that is told the step and the kind of carpet. It adds up how much of a carpet is
wool of each colour.

A step, with what it changes in the carpets, is one compiled function in bfloat16; all tables lie on the GPU."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

CARPETS, TILES, SIZE, KINDS, STEPS, WIDTH, HEADS, LAYERS, ROUNDS = 64, 256, 64, 32, 8, 768, 12, 4, 130


class Layer(nn.Module):
    """Norms are scaled and shifted by what the network is told."""
    def __init__(self):
        super().__init__()
        self.told = nn.Linear(WIDTH, 6 * WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    @staticmethod
    def normal(state, scale, shift):
        return functional.layer_norm(state, (WIDTH,)) * (1 + scale) + shift

    def forward(self, state, asked):
        scale, shift, gate, second_scale, second_shift, second_gate = self.told(asked)[:, None].chunk(6, dim=2)
        query, key, value = self.project(self.normal(state, scale, shift)).chunk(3, dim=2)
        query, key, value = (
            part.view(CARPETS, TILES, HEADS, WIDTH // HEADS).transpose(1, 2) for part in (query, key, value))
        seen = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(CARPETS, TILES, WIDTH)
        state = state + gate * self.out(seen)
        inner = functional.gelu(self.up(self.normal(state, second_scale, second_shift)), approximate="tanh")
        return state + second_gate * self.down(inner)


class Weaver(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.places = nn.Linear(SIZE, WIDTH), nn.Parameter(0.02 * torch.randn(TILES, WIDTH))
        self.kinds = nn.Embedding(KINDS, WIDTH)
        self.layers, self.head = nn.ModuleList(Layer() for _ in range(LAYERS)), nn.Linear(WIDTH, SIZE)

    def drawn(self, carpets, time, kinds):
        """What the carpets are thought to be without noise."""
        asked = functional.silu(self.kinds(kinds) + time)
        state = self.start(carpets.to(torch.bfloat16)) + self.places
        for layer in self.layers:
            state = layer(state, asked)
        return self.head(functional.layer_norm(state, (WIDTH,))).float().tanh()

    def forward(self, carpets, time, share, kinds):
        """The carpets with less noise; `share` tells how much of them is not noise, before and after the step."""
        clean = self.drawn(carpets, time, kinds)
        before, after = share[0], share[1]
        noise = (carpets - before.sqrt() * clean) * (1 - before).rsqrt()
        return after.sqrt() * clean + (1 - after).sqrt() * noise


class Loom:
    @torch.no_grad()
    def __init__(self):
        with torch.device("cuda"):
            network = Weaver().to(torch.bfloat16).eval()
            moments = torch.linspace(0.98, 0.0, STEPS + 1)
            shares = torch.cos(moments * (torch.pi / 2)).square()
            self.shares = [torch.stack((shares[own], shares[own + 1])) for own in range(STEPS)]
            self.shares[-1][1] = 1.0
            waves = torch.exp(torch.linspace(0, 6, WIDTH // 2))
            angles = moments[:STEPS, None] * waves
            self.times = list(torch.cat((angles.sin(), angles.cos()), 1).to(torch.bfloat16))
            self.kinds, self.wool = torch.arange(CARPETS) % KINDS, torch.zeros(SIZE)
        self.step = torch.compile(network, dynamic=False)
        self.step(self.noise(), self.times[0], self.shares[0], self.kinds)

    def noise(self):
        return torch.randn(CARPETS, TILES, SIZE, device="cuda")

    @torch.no_grad()
    def weave(self):
        carpets = self.noise()
        for time, share in zip(self.times, self.shares):
            carpets = self.step(carpets, time, share, self.kinds)
        self.wool.add_(carpets.abs().mean((0, 1)))

    def total(self):
        return self.wool.sum().item()


def weaving():
    torch.manual_seed(1)
    loom = Loom()
    return loom.weave, loom.total, ROUNDS


run_case(None, weaving)
