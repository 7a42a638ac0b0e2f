"""Lets Triton choose among tiles for matrix products of four shapes, and prints what it chose for each."""
import json

import torch
import triton
import triton.language as tl

TILES = [triton.Config({"M": m, "N": n, "K": k}, num_warps=warps)
         for m, n, k, warps in ((16, 16, 32, 1), (32, 32, 32, 2), (64, 64, 32, 4), (128, 64, 32, 4), (128, 128, 64, 8))]


@triton.autotune(TILES, key=["height", "width", "depth"])
@triton.jit
def product(a, b, c, height, width, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, depth, K):
        left = tl.load(a + rows[:, None] * depth + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * width + columns[None, :])
        sums += tl.dot(left, right)
    tl.store(c + rows[:, None] * width + columns[None, :], sums)


def main():
    torch.manual_seed(0)
    chosen = {}
    for height, width, depth in ((4096, 4096, 1024), (128, 8192, 2048), (8192, 128, 512), (512, 512, 8192)):
        a = torch.randn(height, depth, device="cuda", dtype=torch.float16)
        b = torch.randn(depth, width, device="cuda", dtype=torch.float16)
        c = torch.empty(height, width, device="cuda")
        product[lambda tile: (height // tile["M"], width // tile["N"])](a, b, c, height, width, depth)
        chosen[f"{height} x {width} x {depth}"] = str(product.best_config)
    print(json.dumps(chosen))


if __name__ == "__main__":
    main()
