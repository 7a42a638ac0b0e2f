"""Passes 16,384 tokens through eight gated layers with norms by root mean squares.

At fault: the norm is a chain of operations in float32, each of which stores its result.
The pattern is that of pytorch/torchtitan, pull request 4607: F.rms_norm instead of seven operations."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

TOKENS, WIDTH, LAYERS, ROUNDS = 16384, 2048, 8, 300


class WrittenNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, hidden):
        wide = hidden.float()  # fault
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)  # fault
        return (wide * scale * (1.0 + self.weight)).to(hidden.dtype)  # fault


class LibraryNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, hidden):
        return functional.rms_norm(hidden, (WIDTH,), (1.0 + self.weight).to(hidden.dtype), 1e-6)


class Block(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.norm, self.linear = norm(), nn.Linear(WIDTH, WIDTH, bias=False, dtype=torch.bfloat16)

    def forward(self, hidden):
        return self.linear(self.norm(hidden))


def passing(norm):
    torch.manual_seed(1)
    layers = nn.Sequential(*(Block(norm) for _ in range(LAYERS))).to("cuda")
    tokens = torch.randn(TOKENS, WIDTH, device="cuda").bfloat16()
    kept = [None]

    @torch.no_grad()
    def one_round():
        kept[0] = layers(tokens)

    return one_round, lambda: kept[0].double().square().sum().item(), ROUNDS


run_case(lambda: passing(WrittenNorm), lambda: passing(LibraryNorm))
