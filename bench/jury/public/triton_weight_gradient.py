"""The gradient of the 4096 weights of a norm over 16,384 rows.

At fault: each row's program adds to all weights with atomics, so that 16,384 add to one address.
The pattern is that of triton-lang/triton, python/tutorials/05-layer-norm.py, and linkedin/Liger-Kernel,
src/liger_kernel/ops/rms_norm.py, whose programs take many rows each and leave partial sums."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, COLUMNS, PROGRAMS, ROUNDS = 16384, 4096, 256, 600


@triton.jit
def gradient_by_row(weights, upstream, values, COLUMNS: tl.constexpr):
    column = tl.arange(0, COLUMNS)
    at = tl.program_id(0).to(tl.int64) * COLUMNS + column
    tl.atomic_add(weights + column, tl.load(upstream + at) * tl.load(values + at))  # fault


@triton.jit
def gradient_of_rows(partial, upstream, values, rows, COLUMNS: tl.constexpr, PROGRAMS: tl.constexpr):
    column = tl.arange(0, COLUMNS)
    total = tl.zeros([COLUMNS], tl.float32)
    for row in range(tl.program_id(0), rows, PROGRAMS):
        at = row.to(tl.int64) * COLUMNS + column
        total += tl.load(upstream + at) * tl.load(values + at)
    tl.store(partial + tl.program_id(0) * COLUMNS + column, total)


def made_tensors():
    torch.manual_seed(1)
    return torch.rand(ROWS, COLUMNS, device="cuda"), torch.rand(ROWS, COLUMNS, device="cuda")


def total_of(weights):
    return (weights.double() * torch.arange(1, COLUMNS + 1, device="cuda")).sum().item()


def by_atomics():
    upstream, values = made_tensors()
    weights = torch.zeros(COLUMNS, device="cuda")

    def one_round():
        weights.zero_()
        gradient_by_row[(ROWS,)](weights, upstream, values, COLUMNS=COLUMNS, num_warps=8)

    return one_round, lambda: total_of(weights), ROUNDS


def by_partial_sums():
    upstream, values = made_tensors()
    partial, weights = torch.empty(PROGRAMS, COLUMNS, device="cuda"), torch.empty(COLUMNS, device="cuda")

    def one_round():
        gradient_of_rows[(PROGRAMS,)](partial, upstream, values, ROWS, COLUMNS=COLUMNS, PROGRAMS=PROGRAMS, num_warps=8)
        torch.sum(partial, dim=0, out=weights)

    return one_round, lambda: total_of(weights), ROUNDS


run_case(by_atomics, by_partial_sums)
