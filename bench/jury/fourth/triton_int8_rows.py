"""Brings 32,768 rows of 4096 halves to 8 bits, each row with a scale of its own.

Nothing is wrong: a program takes a row, which it reads once, and its lanes write several bytes together.
The pattern is that of sgl-project/sglang, pull request 2848, a kernel for 8 bits a value by token."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, COLUMNS, ROUNDS = 32768, 4096, 4000


@triton.jit
def rows_to_int8(out, scales, values, COLUMNS: tl.constexpr):
    column = tl.arange(0, COLUMNS)
    at = tl.program_id(0) * COLUMNS + column
    row = tl.load(values + at).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(row), 0), 1e-8) / 127
    tl.store(out + at, tl.floor(row / scale + 0.5).to(tl.int8))
    tl.store(scales + tl.program_id(0), scale)


def quantised():
    torch.manual_seed(1)
    values = torch.randn(ROWS, COLUMNS, device="cuda", dtype=torch.half)
    out = torch.empty(ROWS, COLUMNS, device="cuda", dtype=torch.int8)
    scales = torch.empty(ROWS, device="cuda")

    def one_round():
        rows_to_int8[(ROWS,)](out, scales, values, COLUMNS=COLUMNS, num_warps=8)

    return one_round, lambda: (out[:4096].double().abs().sum(1) * scales[:4096]).sum().item(), ROUNDS


run_case(None, quantised)
