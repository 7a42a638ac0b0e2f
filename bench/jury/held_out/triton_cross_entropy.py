"""The cross entropy of 4096 rows of 32,768 scores.

Nothing is wrong: a program goes through a row once, 4096 scores at a time, with a running maximum.
The pattern is that of linkedin/Liger-Kernel, src/liger_kernel/ops/cross_entropy.py."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, COLUMNS, BLOCK, ROUNDS = 4096, 32768, 4096, 1200


@triton.jit
def entropy_of_row(losses, scores, labels, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    own = scores + row.to(tl.int64) * COLUMNS
    largest = tl.full([BLOCK], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, COLUMNS, BLOCK):
        some = tl.load(own + first + tl.arange(0, BLOCK))
        larger = tl.maximum(largest, some)
        total = total * tl.exp(largest - larger) + tl.exp(some - larger)
        largest = larger
    most = tl.max(largest, 0)
    whole = tl.sum(total * tl.exp(largest - most), 0)
    tl.store(losses + row, most + tl.log(whole) - tl.load(own + tl.load(labels + row)))


def entropy():
    torch.manual_seed(1)
    scores = torch.randn(ROWS, COLUMNS, device="cuda")
    labels = torch.randint(COLUMNS, (ROWS,), device="cuda")
    losses = torch.empty(ROWS, device="cuda")

    def one_round():
        entropy_of_row[(ROWS,)](losses, scores, labels, COLUMNS=COLUMNS, BLOCK=BLOCK, num_warps=8)

    return one_round, lambda: losses.double().sum().item(), ROUNDS


run_case(None, entropy)
