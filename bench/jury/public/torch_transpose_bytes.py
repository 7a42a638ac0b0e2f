"""Makes the transpose of a matrix of bytes contiguous.

At fault: the copy goes in the order of the result, a byte a lane, and reads bytes of different rows.
The pattern is that of pytorch/pytorch, issue 113560: `t().contiguous()` of 8-bit elements, against a kernel that moves
tiles."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, COLUMNS, TILE, ROUNDS, SUMMED = 8192, 32768, 128, 300, 4096


@triton.jit
def transpose_tile(out, matrix, rows, columns, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    tile = tl.load(matrix + row[:, None] * columns + column[None, :])
    tl.store(out + column[:, None] * rows + row[None, :], tl.trans(tile))


def made_matrix():
    number = torch.arange(ROWS * COLUMNS, device="cuda", dtype=torch.int32)
    return ((number ^ (number >> 9)) % 251).to(torch.uint8).view(ROWS, COLUMNS)


def total_of(out):
    first = out.view(-1)[ROWS * 1000:ROWS * 1000 + SUMMED].double()
    return (first * (torch.arange(SUMMED, device="cuda") % 97)).sum().item()


def eager():
    matrix, results = made_matrix(), [None]

    def one_round():
        results[0] = matrix.t().contiguous()  # fault

    return one_round, lambda: total_of(results[0]), ROUNDS


def tiled():
    matrix = made_matrix()
    out = torch.empty(COLUMNS, ROWS, device="cuda", dtype=torch.uint8)

    def one_round():
        transpose_tile[(ROWS // TILE, COLUMNS // TILE)](out, matrix, ROWS, COLUMNS, TILE=TILE, num_warps=8)

    return one_round, lambda: total_of(out), ROUNDS


run_case(eager, tiled)
