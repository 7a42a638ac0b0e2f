"""Learns what molecules smell of: a network of 6 residual blocks with a norm of its own tells from 256 numbers about
each of 65536 molecules a round which of 128 smells it has.

At fault: the backward pass of the norm has a program for each molecule, and each adds its part of the gradients of 512
weights and 512 offsets to the same 4 KB by atomic operations; let 512 programs go through 128 molecules each, keep
their sums in registers, and add these up by a second kernel.
The pattern is that of linkedin/Liger-Kernel, pull request 945 (a norm whose programs keep partial sums instead of
atomics, 5 to 12 times as fast), and ServiceNow/Fast-LLM, pull request 546: twice as many programs as multiprocessors,
which fold many rows into one partial sum each."""
import torch
import triton
import triton.language as tl
from torch import nn
from torch.nn import functional

from case import run_case

MOLECULES, NUMBERS, SMELLS, WIDTH, BLOCKS, PARTS, TILE, SETS, RATE, ROUNDS = 65536, 256, 128, 512, 6, 512, 4, 6, 1e-6, 430


@triton.jit
def normalise(states, weights, offsets, told, means, scales, WIDTH: tl.constexpr, TILE: tl.constexpr):
    rows, columns = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, WIDTH)
    there = rows[:, None] * WIDTH + columns[None, :]
    state = tl.load(states + there).to(tl.float32)
    mean = tl.sum(state, 1) / WIDTH
    state = state - mean[:, None]
    scale = tl.rsqrt(tl.sum(state * state, 1) / WIDTH + 1e-5)
    weight, offset = tl.load(weights + columns), tl.load(offsets + columns)
    tl.store(told + there, (state * scale[:, None] * weight[None, :] + offset[None, :]).to(tl.bfloat16))
    tl.store(means + rows, mean)
    tl.store(scales + rows, scale)


@triton.jit
def slope_of_row(states, slopes, weights, means, scales, of_states, of_weights, of_offsets, WIDTH: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, WIDTH)
    there, scale = row * WIDTH + columns, tl.load(scales + row)
    state = (tl.load(states + there).to(tl.float32) - tl.load(means + row)) * scale
    slope = tl.load(slopes + there).to(tl.float32)
    own = slope * tl.load(weights + columns)
    alike, level = tl.sum(own * state, 0) / WIDTH, tl.sum(own, 0) / WIDTH
    tl.store(of_states + there, ((own - state * alike - level) * scale).to(tl.bfloat16))
    tl.atomic_add(of_weights + columns, slope * state)  # fault
    tl.atomic_add(of_offsets + columns, slope)  # fault


@triton.jit
def slope_of_part(states, slopes, weights, means, scales, of_states, of_weights, of_offsets, ROWS: tl.constexpr,
                  WIDTH: tl.constexpr, PARTS: tl.constexpr, TILE: tl.constexpr):
    part, columns = tl.program_id(0), tl.arange(0, WIDTH)
    weight = tl.load(weights + columns)
    of_weight, of_offset = tl.zeros((TILE, WIDTH), tl.float32), tl.zeros((TILE, WIDTH), tl.float32)
    for start in range(0, ROWS, PARTS * TILE):
        rows = start + part * TILE + tl.arange(0, TILE)
        there = rows[:, None] * WIDTH + columns[None, :]
        scale = tl.load(scales + rows)[:, None]
        state = (tl.load(states + there).to(tl.float32) - tl.load(means + rows)[:, None]) * scale
        slope = tl.load(slopes + there).to(tl.float32)
        own = slope * weight[None, :]
        alike, level = tl.sum(own * state, 1) / WIDTH, tl.sum(own, 1) / WIDTH
        tl.store(of_states + there, ((own - state * alike[:, None] - level[:, None]) * scale).to(tl.bfloat16))
        of_weight += slope * state
        of_offset += slope
    tl.store(of_weights + part * WIDTH + columns, tl.sum(of_weight, 0))
    tl.store(of_offsets + part * WIDTH + columns, tl.sum(of_offset, 0))


def slopes_by_rows(*known):
    sums = torch.zeros(2, WIDTH, device="cuda")
    slope_of_row[(MOLECULES,)](*known, *sums, WIDTH=WIDTH, num_warps=4)  # fault
    return sums


def slopes_by_parts(*known):
    sums = torch.empty(2, PARTS, WIDTH, device="cuda")
    slope_of_part[(PARTS,)](*known, *sums, ROWS=MOLECULES, WIDTH=WIDTH, PARTS=PARTS, TILE=TILE, num_warps=4)
    return sums.sum(1)


class Normalised(torch.autograd.Function):
    @staticmethod
    def forward(ctx, state, weight, offset, slopes):
        told, ctx.slopes = torch.empty_like(state), slopes
        means, scales = torch.empty(2, MOLECULES, device="cuda")
        normalise[(MOLECULES // TILE,)](state, weight, offset, told, means, scales, WIDTH=WIDTH, TILE=TILE, num_warps=4)
        ctx.save_for_backward(state, weight, means, scales)
        return told

    @staticmethod
    def backward(ctx, slope):
        state, weight, means, scales = ctx.saved_tensors
        of_state = torch.empty_like(state)
        return of_state, *ctx.slopes(state, slope, weight, means, scales, of_state), None  # fault


class Block(nn.Module):
    def __init__(self, slopes):
        super().__init__()
        self.weight, self.offset, self.slopes = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.zeros(WIDTH)), slopes
        self.first, self.second = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))

    def forward(self, state):
        normal = Normalised.apply(state, self.weight, self.offset, self.slopes)
        return state + self.second(functional.silu(self.first(normal)))


def smelling(slopes):
    torch.manual_seed(1)
    with torch.device("cuda"):
        network = nn.Sequential(nn.Linear(NUMBERS, WIDTH), *(Block(slopes) for _ in range(BLOCKS)),
                                nn.Linear(WIDTH, SMELLS))
        molecules = torch.randn(SETS, MOLECULES, NUMBERS, dtype=torch.bfloat16)
        smells = (torch.rand(SETS, MOLECULES, SMELLS) < 0.1).float()
        losses, number = torch.zeros(()), [0]
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, fused=True)

    def one_round():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            told = network(molecules[number[0] % SETS])
        loss = functional.binary_cross_entropy_with_logits(told.float(), smells[number[0] % SETS])
        loss.backward()  # fault
        optimiser.step()
        optimiser.zero_grad()
        losses.add_(loss.detach())
        number[0] += 1

    return one_round, lambda: losses.item(), ROUNDS


run_case(lambda: smelling(slopes_by_rows), lambda: smelling(slopes_by_parts))
