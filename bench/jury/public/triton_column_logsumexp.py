"""The logarithm of the sum of exponentials of each column of a row-major matrix.

At fault: a program takes one column, so that its lanes read words half a megabyte apart.
The pattern is that of triton-lang/triton, issue 949, where the shape of the tile decides whether loads are coalesced, and of
flagos-ai/FlagGems, src/flag_gems/ops/softmax.py, which reduces along the last axis only and turns others round first."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, COLUMNS, ROUNDS = 512, 131072, 800


@triton.jit
def logsumexp_of_column(out, matrix, columns, ROWS: tl.constexpr):
    column = tl.program_id(0)
    values = tl.load(matrix + tl.arange(0, ROWS) * columns + column)  # fault
    largest = tl.max(values, 0)
    tl.store(out + column, largest + tl.log(tl.sum(tl.exp(values - largest), 0)))


@triton.jit
def logsumexp_of_columns(out, matrix, columns, ROWS: tl.constexpr, STEP: tl.constexpr, WIDTH: tl.constexpr):
    column = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    largest = tl.full([WIDTH], float("-inf"), tl.float32)
    total = tl.zeros([WIDTH], tl.float32)
    for first in range(0, ROWS, STEP):
        row = first + tl.arange(0, STEP)
        values = tl.load(matrix + row[:, None] * columns + column[None, :])
        larger = tl.maximum(largest, tl.max(values, 0))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(values - larger[None, :]), 0)
        largest = larger
    tl.store(out + column, largest + tl.log(total))


def made_tensors():
    torch.manual_seed(1)
    return torch.rand(ROWS, COLUMNS, device="cuda"), torch.empty(COLUMNS, device="cuda")


def total_of(out):
    return (out.double() * (torch.arange(COLUMNS, device="cuda") % 97)).sum().item()


def one_column():
    matrix, out = made_tensors()
    return lambda: logsumexp_of_column[(COLUMNS,)](out, matrix, COLUMNS, ROWS=ROWS), lambda: total_of(out), ROUNDS


def many_columns():
    matrix, out = made_tensors()

    def one_round():
        logsumexp_of_columns[(COLUMNS // 64,)](out, matrix, COLUMNS, ROWS=ROWS, STEP=32, WIDTH=64)

    return one_round, lambda: total_of(out), ROUNDS


run_case(one_column, many_columns)
