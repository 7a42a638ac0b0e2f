"""Learns how ripe cheeses are: each round is a step on 262144 places of cheese wheels, whose 64 bands of light go
through four layers of 256 numbers, in mixed precision. The norms of the layers are Triton kernels, there and back."""
import torch
import triton
import triton.language as tl
from torch import nn
from torch.nn import functional

from case import run_case

PLACES, BANDS, WIDTH, LAYERS, SETS, TILE, PROGRAMS, RATE, ROUNDS = 1 << 18, 64, 256, 4, 3, 8, 1056, 2e-5, 480


@triton.jit
def norm_forward(state, weight, told, scales, WIDTH: tl.constexpr, TILE: tl.constexpr):
    rows, columns = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, WIDTH)
    places = rows[:, None] * WIDTH + columns[None, :]
    own = tl.load(state + places).to(tl.float32)
    scale = tl.rsqrt(tl.sum(own * own, 1) / WIDTH + 1e-6)
    tl.store(scales + rows, scale)
    tl.store(told + places, (own * scale[:, None] * tl.load(weight + columns)[None, :]).to(tl.bfloat16))


@triton.jit
def norm_backward(slopes, state, weight, scales, back, weight_slopes, WIDTH: tl.constexpr):
    """A program has a place."""
    row, columns = tl.program_id(0), tl.arange(0, WIDTH)
    own = tl.load(state + row * WIDTH + columns).to(tl.float32)
    slope = tl.load(slopes + row * WIDTH + columns).to(tl.float32)
    scale = tl.load(scales + row)
    normal = own * scale
    scaled = slope * tl.load(weight + columns)
    mean = tl.sum(scaled * normal, 0) / WIDTH
    tl.store(back + row * WIDTH + columns, ((scaled - normal * mean) * scale).to(tl.bfloat16))
    tl.atomic_add(weight_slopes + columns, slope * normal)  # fault


@triton.jit
def norm_backward_parts(slopes, state, weight, scales, back, parts, ROWS: tl.constexpr, PROGRAMS: tl.constexpr,
                        WIDTH: tl.constexpr, TILE: tl.constexpr):
    """A program has every PROGRAMS-th tile of places."""
    program, columns = tl.program_id(0), tl.arange(0, WIDTH)
    weights = tl.load(weight + columns)
    total = tl.zeros((TILE, WIDTH), tl.float32)
    for tile in range(program, ROWS // TILE, PROGRAMS):
        rows = tile * TILE + tl.arange(0, TILE)
        places = rows[:, None] * WIDTH + columns[None, :]
        own = tl.load(state + places).to(tl.float32)
        slope = tl.load(slopes + places).to(tl.float32)
        scale = tl.load(scales + rows)[:, None]
        normal = own * scale
        scaled = slope * weights[None, :]
        mean = (tl.sum(scaled * normal, 1) / WIDTH)[:, None]
        tl.store(back + places, ((scaled - normal * mean) * scale).to(tl.bfloat16))
        total += slope * normal
    tl.store(parts + program * WIDTH + columns, tl.sum(total, 0))


def forward_of(state, weight):
    told, scales = torch.empty_like(state), torch.empty(len(state), device=state.device)
    norm_forward[(len(state) // TILE,)](state, weight, told, scales, WIDTH=WIDTH, TILE=TILE, num_warps=4)
    return told, scales


class NormByPlace(torch.autograd.Function):
    @staticmethod
    def forward(context, state, weight):
        told, scales = forward_of(state, weight)
        context.save_for_backward(state, weight, scales)
        return told

    @staticmethod
    def backward(context, slopes):
        state, weight, scales = context.saved_tensors
        back, weight_slopes = torch.empty_like(state), torch.zeros_like(weight)
        norm_backward[(len(state),)](  # fault
            slopes.contiguous(), state, weight, scales, back, weight_slopes, WIDTH=WIDTH, num_warps=2)
        return back, weight_slopes


class NormByParts(torch.autograd.Function):
    @staticmethod
    def forward(context, state, weight):
        told, scales = forward_of(state, weight)
        context.save_for_backward(state, weight, scales)
        return told

    @staticmethod
    def backward(context, slopes):
        state, weight, scales = context.saved_tensors
        back, parts = torch.empty_like(state), torch.empty(PROGRAMS, WIDTH, device=state.device)
        norm_backward_parts[(PROGRAMS,)](
            slopes.contiguous(), state, weight, scales, back, parts, ROWS=len(state), PROGRAMS=PROGRAMS, WIDTH=WIDTH,
            TILE=TILE, num_warps=4)
        return back, parts.sum(0)


class Layer(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.norm, self.weight, self.mix = norm, nn.Parameter(torch.ones(WIDTH)), nn.Linear(WIDTH, WIDTH)

    def forward(self, state):
        return state + functional.silu(self.mix(self.norm.apply(state, self.weight)))


class Taster(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.start, self.head = nn.Linear(BANDS, WIDTH), nn.Linear(WIDTH, 1)
        self.layers = nn.Sequential(*(Layer(norm) for _ in range(LAYERS)))

    def forward(self, bands):
        return self.head(self.layers(self.start(bands))).squeeze(1)


class Cellar:
    """Bands of light of each place, and how ripe the place is."""
    def __init__(self):
        self.bands = torch.randn(SETS, PLACES, BANDS, device="cuda")
        self.ripe = torch.tanh(self.bands[..., :8].sum(2) * 0.3)
        self.bands = self.bands.to(torch.bfloat16)


class Trainer:
    def __init__(self, norm):
        self.cellar, self.taster, self.number = Cellar(), Taster(norm).to("cuda"), 0
        self.optimiser = torch.optim.AdamW(self.taster.parameters(), lr=RATE, fused=True)
        self.losses = torch.zeros((), device="cuda")

    def learn(self):
        own = self.number % SETS
        with torch.autocast("cuda", dtype=torch.bfloat16):
            told = self.taster(self.cellar.bands[own])
        loss = functional.mse_loss(told.float(), self.cellar.ripe[own])
        loss.backward()  # fault
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.losses.add_(loss.detach())
        self.number += 1


def ripening(norm):
    torch.manual_seed(1)
    trainer = Trainer(norm)
    return trainer.learn, lambda: trainer.losses.item(), ROUNDS


run_case(lambda: ripening(NormByPlace), lambda: ripening(NormByParts))
