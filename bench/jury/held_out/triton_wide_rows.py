"""The softmax of 8192 rows of 16,384 values, a row a program.

At fault: one warp takes the row, 512 values a lane, which no registers hold; they go to local memory.
The pattern is that of triton-lang/triton, issue 1101: programs that are too large for their threads. The repair takes 16
warps."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, COLUMNS, ROUNDS = 8192, 16384, 500


@triton.jit
def softmax_of_wide_row(out, values, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)  # fault
    row = tl.load(values + at)  # fault
    powers = tl.exp(row - tl.max(row, 0))  # fault
    tl.store(out + at, powers / tl.sum(powers, 0))  # fault


def normed(warps):
    torch.manual_seed(1)
    values = torch.rand(ROWS, COLUMNS, device="cuda")
    out = torch.empty_like(values)

    def one_round():
        softmax_of_wide_row[(ROWS,)](out, values, COLUMNS=COLUMNS, num_warps=warps)  # fault

    weights = torch.arange(COLUMNS, device="cuda") % 97
    return one_round, lambda: (out.double() * weights).sum().item(), ROUNDS


run_case(lambda: normed(1), lambda: normed(16))
