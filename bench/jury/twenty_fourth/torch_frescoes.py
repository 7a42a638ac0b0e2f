"""Paints what is missing in frescoes: each round draws 32 latent pictures of 16 x 128 x 128 by eight steps of diffusion,
with a U-Net of residual blocks without norms, in bfloat16. What is left of a fresco is put back, with the noise of the
step, after each step; latents and what is left are on the GPU."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PICTURES, CHANNELS, POINTS, WIDTHS, BLOCKS, LEVELS, STEPS, SETS, ROUNDS = 32, 16, 128, (64, 128, 256), 2, 32, 8, 3, 85


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.level = nn.Linear(LEVELS, width)
        self.bend = nn.ReLU(inplace=True)

    def forward(self, state, level):
        inner = self.bend(self.first(state).add_(self.level(level)[:, None, None]))  # fault
        return self.second(inner).mul_(0.5).add_(state)  # fault


class Stage(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(BLOCKS))

    def forward(self, state, level):
        for block in self.blocks:
            state = block(state, level)  # fault
        return state


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        pairs = list(zip(WIDTHS, WIDTHS[1:]))
        self.start = nn.Conv2d(CHANNELS, WIDTHS[0], 3, padding=1, bias=False)
        self.ways_down = nn.ModuleList(Stage(width) for width in WIDTHS)
        self.ways_up = nn.ModuleList(Stage(width) for width in WIDTHS[:-1])
        self.shrink = nn.ModuleList(nn.Conv2d(fine, coarse, 2, stride=2, bias=False) for fine, coarse in pairs)
        self.widen = nn.ModuleList(nn.Conv2d(coarse, fine, 3, padding=1, bias=False) for fine, coarse in pairs)
        self.end = nn.Conv2d(WIDTHS[0], CHANNELS, 3, padding=1, bias=False)

    def forward(self, state, level):
        state, kept = self.start(state), []  # fault
        for stage, shrink in zip(self.ways_down, self.shrink):
            state = stage(state, level)  # fault
            kept.append(state)
            state = shrink(state)  # fault
        state = self.ways_down[-1](state, level)  # fault
        for stage, widen, fine in zip(reversed(self.ways_up), reversed(self.widen), reversed(kept)):
            state = widen(functional.interpolate(state, scale_factor=2.0, mode="nearest"))  # fault
            state = stage(state.add_(fine), level)  # fault
        return self.end(state)  # fault


class Studio:
    @torch.no_grad()
    def __init__(self, layout):
        with torch.device("cuda"):
            network = UNet().to(torch.bfloat16).eval()
            frescoes = torch.tanh(torch.randn(SETS, PICTURES, CHANNELS, POINTS, POINTS)).to(torch.bfloat16)
            noises = torch.randn(SETS + 1, PICTURES, CHANNELS, POINTS, POINTS).to(torch.bfloat16)
            coarse = torch.rand(SETS, PICTURES, 1, POINTS // 16, POINTS // 16) < 0.6
            self.lost = 1 - coarse.to(torch.bfloat16).repeat_interleave(16, 3).repeat_interleave(16, 4)
            turns = torch.linspace(1.5, 0.05, STEPS + 1)
            self.levels = torch.cos(turns[:, None] * torch.arange(LEVELS)).to(torch.bfloat16)
            self.difference = torch.zeros((), dtype=torch.float64)
        self.network = network.to(memory_format=layout)
        self.frescoes = [own.contiguous(memory_format=layout) for own in frescoes]
        self.noises = [own.contiguous(memory_format=layout) for own in noises]
        self.keep, self.noise, self.number = turns.cos().tolist(), turns.sin().tolist(), 0

    @torch.inference_mode()
    def paint(self):
        own = self.number % SETS
        fresco, lost, noise = self.frescoes[own], self.lost[own], self.noises[(self.number + 1) % (SETS + 1)]
        state = self.noises[self.number % (SETS + 1)]
        for step in range(STEPS):
            guess = self.network(state, self.levels[step]).clamp_(-1, 1)  # fault
            spoilt = (state - self.keep[step] * guess) * (1 / self.noise[step])
            painted = self.keep[step + 1] * guess + self.noise[step + 1] * spoilt
            left = self.keep[step + 1] * fresco + self.noise[step + 1] * noise
            state = torch.lerp(left, painted, lost)
        self.difference.add_(torch.sub(state, fresco).abs_().mean(dtype=torch.float32))
        self.number += 1


def painting(layout):
    torch.manual_seed(1)
    studio = Studio(layout)
    return studio.paint, lambda: studio.difference.item(), ROUNDS


run_case(lambda: painting(torch.contiguous_format), lambda: painting(torch.channels_last))
