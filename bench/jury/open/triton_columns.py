"""Scales the columns of a matrix in Triton. Fault: tl.arange runs down the rows, so that lanes lie a row apart. Repair: it
runs along a row."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, COLUMNS, BLOCK, ROUNDS = 8192, 4096, 1024, 1000


@triton.jit
def scale_down_columns(x, scale, out, rows, columns, BLOCK: tl.constexpr):
    column = tl.program_id(0)
    row = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    factor = tl.load(scale + column)
    value = tl.load(x + row * columns + column, mask=row < rows)  # fault
    tl.store(out + row * columns + column, value * factor, mask=row < rows)  # fault


@triton.jit
def scale_along_rows(x, scale, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    factor = tl.load(scale + column, mask=column < columns)
    value = tl.load(x + row * columns + column, mask=column < columns)
    tl.store(out + row * columns + column, value * factor, mask=column < columns)


def matrix():
    torch.manual_seed(5)
    x = torch.rand(ROWS, COLUMNS, device="cuda")
    return x, torch.rand(COLUMNS, device="cuda"), torch.empty_like(x)


def fault():
    x, scale, out = matrix()

    def one_round():
        scale_down_columns[(COLUMNS, triton.cdiv(ROWS, BLOCK))](x, scale, out, ROWS, COLUMNS, BLOCK=BLOCK)  # fault

    return one_round, lambda: out[:100].double().sum(), ROUNDS


def clean():
    x, scale, out = matrix()

    def one_round():
        scale_along_rows[(ROWS, triton.cdiv(COLUMNS, BLOCK))](x, scale, out, COLUMNS, BLOCK=BLOCK)

    return one_round, lambda: out[:100].double().sum(), ROUNDS


if __name__ == "__main__":
    run_case(fault, clean)
