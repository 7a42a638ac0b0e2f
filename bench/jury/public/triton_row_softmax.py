"""The softmax of each row of a matrix, a program a row.

Nothing is wrong: a program reads its row once, in order, and keeps it in registers.
The pattern is that of triton-lang/triton, python/tutorials/02-fused-softmax.py."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, COLUMNS, ROUNDS = 16384, 4096, 1500


@triton.jit
def softmax_of_row(out, matrix, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    values = tl.load(matrix + row * columns + column, mask=column < columns, other=float("-inf"))
    raised = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * columns + column, raised / tl.sum(raised, 0), mask=column < columns)


def softmax():
    torch.manual_seed(1)
    matrix = torch.rand(ROWS, COLUMNS, device="cuda")
    out = torch.empty_like(matrix)

    def one_round():
        softmax_of_row[(ROWS,)](out, matrix, COLUMNS, BLOCK=COLUMNS, num_warps=8)

    return one_round, lambda: (out[:64].double() * torch.arange(COLUMNS, device="cuda")).sum().item(), ROUNDS


run_case(None, softmax)
