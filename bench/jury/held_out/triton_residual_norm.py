"""Adds a residual to 32,768 rows of 2048 values and normalises the rows.

Nothing is wrong: a program takes a row, which it reads once.
The pattern is that of Dao-AILab/flash-attention, flash_attn/ops/triton/layer_norm.py."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, COLUMNS, ROUNDS = 32768, 2048, 800


@triton.jit
def add_and_normalise(out, sums, values, residuals, weights, COLUMNS: tl.constexpr):
    column = tl.arange(0, COLUMNS)
    at = tl.program_id(0) * COLUMNS + column
    row = tl.load(values + at) + tl.load(residuals + at)
    tl.store(sums + at, row)
    centred = row - tl.sum(row, 0) / COLUMNS
    variance = tl.sum(centred * centred, 0) / COLUMNS
    tl.store(out + at, centred / tl.sqrt(variance + 1e-5) * tl.load(weights + column))


def norm():
    torch.manual_seed(1)
    values, residuals = (torch.rand(ROWS, COLUMNS, device="cuda") for _ in range(2))
    weights = torch.rand(COLUMNS, device="cuda")
    out, sums = torch.empty_like(values), torch.empty_like(values)

    def one_round():
        add_and_normalise[(ROWS,)](out, sums, values, residuals, weights, COLUMNS=COLUMNS, num_warps=8)

    return one_round, lambda: out[:4096].double().abs().sum().item(), ROUNDS


run_case(None, norm)
