"""Colours pages of comics: each round, 8 pages of 256 x 256 points go through a network of residual blocks in bfloat16,
as drawings with hints of a few colours, and become pages with colours. Convolutions are those of the library, in
channels_last; each page's channels are normalised, scaled and cut off at zero by Triton kernels."""
import torch
import triton
import triton.language as tl
from torch import nn
from torch.nn import functional

from case import run_case

PAGES, INPUTS, POINTS, WIDTH, BLOCKS, COLOURS, SETS, ROUNDS = 8, 8, 256, 128, 5, 8, 5, 380
PLACES, SPLITS, TILE, CHUNK, SMALL = POINTS * POINTS, 64, 64, 2048, 1e-5
PART = PLACES // SPLITS


@triton.jit
def instance_norm(state, gains, shifts, normal, SMALL: tl.constexpr, PLACES: tl.constexpr, WIDTH: tl.constexpr,
                  CHUNK: tl.constexpr):
    """A program has a channel of a page: first its moments, then its numbers."""
    page, channel = tl.program_id(0) // WIDTH, tl.program_id(0) % WIDTH
    begin = page * PLACES * WIDTH + channel
    total = tl.zeros((CHUNK,), tl.float32)
    squares = tl.zeros((CHUNK,), tl.float32)
    for first in range(0, PLACES, CHUNK):
        places = begin + (first + tl.arange(0, CHUNK)) * WIDTH
        own = tl.load(state + places).to(tl.float32)  # fault
        total += own
        squares += own * own
    mean = tl.sum(total, 0) / PLACES
    scale = tl.load(gains + channel) * tl.rsqrt(tl.sum(squares, 0) / PLACES - mean * mean + SMALL)
    shift = tl.load(shifts + channel) - mean * scale
    for first in range(0, PLACES, CHUNK):
        places = begin + (first + tl.arange(0, CHUNK)) * WIDTH
        own = tl.load(state + places).to(tl.float32) * scale + shift  # fault
        tl.store(normal + places, tl.maximum(own, 0.0).to(tl.bfloat16))  # fault


@triton.jit
def moments(state, parts, PART: tl.constexpr, WIDTH: tl.constexpr, TILE: tl.constexpr):
    """A program has a part of a page with all channels."""
    rows, channels = tl.arange(0, TILE), tl.arange(0, WIDTH)
    begin = tl.program_id(0) * PART
    total = tl.zeros((TILE, WIDTH), tl.float32)
    squares = tl.zeros((TILE, WIDTH), tl.float32)
    for first in range(0, PART, TILE):
        places = (begin + first + rows)[:, None] * WIDTH + channels[None, :]
        own = tl.load(state + places).to(tl.float32)
        total += own
        squares += own * own
    out = parts + tl.program_id(0) * 2 * WIDTH + channels
    tl.store(out, tl.sum(total, 0))
    tl.store(out + WIDTH, tl.sum(squares, 0))


@triton.jit
def apply_norm(state, parts, gains, shifts, normal, SMALL: tl.constexpr, PLACES: tl.constexpr, PART: tl.constexpr,
               SPLITS: tl.constexpr, WIDTH: tl.constexpr, TILE: tl.constexpr):
    """A program has the part of a page that it has in `moments`."""
    rows, channels, splits = tl.arange(0, TILE), tl.arange(0, WIDTH), tl.arange(0, SPLITS)
    page, begin = tl.program_id(0) // SPLITS, tl.program_id(0) * PART
    those = parts + (page * SPLITS + splits)[:, None] * 2 * WIDTH + channels[None, :]
    mean = tl.sum(tl.load(those), 0) / PLACES
    square = tl.sum(tl.load(those + WIDTH), 0) / PLACES
    scale = tl.load(gains + channels) * tl.rsqrt(square - mean * mean + SMALL)
    shift = tl.load(shifts + channels) - mean * scale
    for first in range(0, PART, TILE):
        places = (begin + first + rows)[:, None] * WIDTH + channels[None, :]
        own = tl.load(state + places).to(tl.float32) * scale[None, :] + shift[None, :]
        tl.store(normal + places, tl.maximum(own, 0.0).to(tl.bfloat16))


def by_channel(state, gains, shifts):
    normal = torch.empty_like(state)
    instance_norm[(PAGES * WIDTH,)](  # fault
        state, gains, shifts, normal, SMALL=SMALL, PLACES=PLACES, WIDTH=WIDTH, CHUNK=CHUNK, num_warps=8)
    return normal


def by_part(state, gains, shifts):
    parts = torch.empty(PAGES * SPLITS, 2, WIDTH, device=state.device)
    normal = torch.empty_like(state)
    moments[(PAGES * SPLITS,)](state, parts, PART=PART, WIDTH=WIDTH, TILE=TILE, num_warps=8)
    apply_norm[(PAGES * SPLITS,)](
        state, parts, gains, shifts, normal, SMALL=SMALL, PLACES=PLACES, PART=PART, SPLITS=SPLITS, WIDTH=WIDTH,
        TILE=TILE, num_warps=8)
    return normal


class Block(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.first = nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False)
        self.second = nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False)
        self.gains, self.shifts = nn.Parameter(0.8 + 0.4 * torch.rand(WIDTH)), nn.Parameter(0.1 * torch.randn(WIDTH))
        self.norm = norm

    def forward(self, state):
        inner = self.norm(self.first(state), self.gains, self.shifts)  # fault
        return self.second(inner).add_(state)


class Painter(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.start, self.head = nn.Conv2d(INPUTS, WIDTH, 3, padding=1), nn.Conv2d(WIDTH, COLOURS, 3, padding=1)
        self.blocks = nn.Sequential(*(Block(norm) for _ in range(BLOCKS)))
        for part in self.modules():
            if isinstance(part, nn.Conv2d):
                part.to(torch.bfloat16)

    def forward(self, pages):
        return self.head(functional.relu_(self.blocks(functional.relu_(self.start(pages)))))  # fault


class Studio:
    @torch.no_grad()
    def __init__(self, norm):
        with torch.device("cuda"):
            painter = Painter(norm).eval().requires_grad_(False)
            drawings = torch.rand(SETS, PAGES, INPUTS, POINTS, POINTS).to(torch.bfloat16)
            self.colour = torch.zeros((), dtype=torch.float64)
        self.painter = painter.to(memory_format=torch.channels_last)
        self.drawings = [own.contiguous(memory_format=torch.channels_last) for own in drawings]
        self.number = 0

    @torch.inference_mode()
    def paint(self):
        pages = self.drawings[self.number % SETS].mul(1 + 0.03 * (self.number % 13))
        colours = torch.tanh_(self.painter(pages))  # fault
        self.colour.add_(colours.abs().mean(dtype=torch.float32))
        self.number += 1


def drawing(norm):
    torch.manual_seed(1)
    studio = Studio(norm)
    return studio.paint, lambda: studio.colour.item(), ROUNDS


run_case(lambda: drawing(by_channel), lambda: drawing(by_part))
