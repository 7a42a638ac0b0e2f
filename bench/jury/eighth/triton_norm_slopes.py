"""Gradients of the weights of a layer norm over 65,536 tokens of 1024 values.

At fault: each program adds its row to the same 1024 words by atomics.
The pattern is that of linkedin/Liger-Kernel, pull request 945: programs keep partial sums, 5 to 12 times as fast."""
import torch
import triton
import triton.language as tl

from case import run_case

TOKENS, WIDTH, PROGRAMS, ROUNDS = 65536, 1024, 528, 1000


@triton.jit
def slopes_by_atomics(slopes, normed, gradients, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    at = tl.program_id(0) * WIDTH + column
    own = tl.load(normed + at) * tl.load(gradients + at)
    tl.atomic_add(slopes + column, own)  # fault


@triton.jit
def slopes_in_parts(parts, normed, gradients, TOKENS, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    own = tl.zeros((WIDTH,), dtype=tl.float32)
    for row in range(tl.program_id(0), TOKENS, tl.num_programs(0)):
        at = row * WIDTH + column
        own += tl.load(normed + at) * tl.load(gradients + at)
    tl.store(parts + tl.program_id(0) * WIDTH + column, own)


def made_tensors():
    torch.manual_seed(1)
    return [torch.randn(TOKENS, WIDTH, device="cuda") for _ in range(2)]


def by_atomics():
    normed, gradients = made_tensors()
    slopes = torch.zeros(WIDTH, device="cuda")

    def one_round():
        slopes.zero_()
        slopes_by_atomics[(TOKENS,)](slopes, normed, gradients, WIDTH=WIDTH, num_warps=4)  # fault

    return one_round, lambda: slopes.double().abs().sum().item(), ROUNDS


def in_parts():
    normed, gradients = made_tensors()
    parts, kept = torch.empty(PROGRAMS, WIDTH, device="cuda"), [None]

    def one_round():
        slopes_in_parts[(PROGRAMS,)](parts, normed, gradients, TOKENS, WIDTH=WIDTH, num_warps=4)
        kept[0] = parts.sum(0)

    return one_round, lambda: kept[0].double().abs().sum().item(), ROUNDS


run_case(by_atomics, in_parts)
