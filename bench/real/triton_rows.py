"""Triton kernels: a softmax by rows, and one that walks its matrix by columns.

Planted: `column_scale` (G01, at its load and its store)."""
import sys

import torch
import triton
import triton.language as tl

from steady import steady


@triton.jit
def row_softmax(x, y, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * width + at, at < width, -float("inf"))
    values = tl.exp(values - tl.max(values, 0))
    tl.store(y + row * width + at, values / tl.sum(values, 0), at < width)


@triton.jit
def column_scale(x, y, height, width, BLOCK: tl.constexpr):
    column = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at * width + column, at < height, 0.0)  # planted
    tl.store(y + at * width + column, values * 2, at < height)


def main():
    rounds = int(sys.argv[1])
    torch.manual_seed(0)
    x = torch.randn(8192, 4096, device="cuda")
    y, z = torch.empty_like(x), torch.empty_like(x)

    def work():
        row_softmax[(8192,)](x, y, 4096, BLOCK=4096)
        column_scale[(4096, 8)](y, z, 8192, 4096, BLOCK=1024)

    work()
    torch.cuda.synchronize()
    for _ in steady(rounds, torch.cuda.synchronize):
        work()
    print(f"sum {z.sum().item():.0f}")


if __name__ == "__main__":
    main()
