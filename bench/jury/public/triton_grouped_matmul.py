"""The product of two matrices of 4096 x 4096 halves.

Nothing is wrong: tiles of 128 x 128 for the tensor cores, in an order that reuses L2.
The pattern is that of triton-lang/triton, python/tutorials/03-matrix-multiplication.py."""
import torch
import triton
import triton.language as tl

from case import run_case

SIDE, ROUNDS = 4096, 1200


@triton.jit
def multiply_tiles(c, a, b, SIDE: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    program, columns_of_tiles = tl.program_id(0), SIDE // N
    group = program // (GROUP * columns_of_tiles)
    row = (group * GROUP + program % GROUP) * M + tl.arange(0, M)
    column = program % (GROUP * columns_of_tiles) // GROUP * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    total = tl.zeros([M, N], tl.float32)
    for first in range(0, SIDE, K):
        left = tl.load(a + row[:, None] * SIDE + (first + inner)[None, :])
        right = tl.load(b + (first + inner)[:, None] * SIDE + column[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + row[:, None] * SIDE + column[None, :], total.to(tl.float16))


def multiplying():
    torch.manual_seed(1)
    a, b = (torch.rand(SIDE, SIDE, dtype=torch.float16, device="cuda") / 64 for _ in range(2))
    c = torch.empty_like(a)
    grid = ((SIDE // 128) ** 2,)

    def one_round():
        multiply_tiles[grid](c, a, b, SIDE=SIDE, M=128, N=128, K=64, GROUP=8, num_warps=8, num_stages=3)

    return one_round, lambda: c[:64].double().sum().item(), ROUNDS


run_case(None, multiplying)
