"""Attention of 4096 tokens to each other, in 64 heads of 64 values.

Nothing is wrong: a program keeps 128 queries and walks along tiles of keys and values, and the scores never reach the memory.
The pattern is that of triton-lang/triton, python/tutorials/06-fused-attention.py."""
import torch
import triton
import triton.language as tl

from case import run_case

HEADS, CONTEXT, WIDTH, ROWS, COLUMNS, ROUNDS = 64, 4096, 64, 128, 64, 300


@triton.jit
def attend_tiles(out, queries, keys, values, scale, CONTEXT: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr,
                 COLUMNS: tl.constexpr):
    feature = tl.arange(0, WIDTH)
    head = tl.program_id(1) * CONTEXT * WIDTH
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    query = tl.load(queries + head + row[:, None] * WIDTH + feature[None, :])
    highest = tl.full([ROWS], -float("inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    sums = tl.zeros([ROWS, WIDTH], tl.float32)
    for tile in range(0, CONTEXT, COLUMNS):
        column = tile + tl.arange(0, COLUMNS)
        key = tl.load(keys + head + column[None, :] * WIDTH + feature[:, None])
        scores = tl.dot(query, key) * scale
        higher = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp2(scores - higher[:, None])
        kept = tl.exp2(highest - higher)
        total = total * kept + tl.sum(weights, 1)
        value = tl.load(values + head + column[:, None] * WIDTH + feature[None, :])
        sums = sums * kept[:, None] + tl.dot(weights.to(tl.float16), value)
        highest = higher
    tl.store(out + head + row[:, None] * WIDTH + feature[None, :], (sums / total[:, None]).to(tl.float16))


def attending():
    torch.manual_seed(1)
    queries, keys, values = torch.randn(3, HEADS, CONTEXT, WIDTH, device="cuda", dtype=torch.half)
    out = torch.empty_like(queries)
    scale = 1.4426950408889634 / WIDTH ** 0.5

    def one_round():
        attend_tiles[(CONTEXT // ROWS, HEADS)](
            out, queries, keys, values, scale, CONTEXT=CONTEXT, WIDTH=WIDTH, ROWS=ROWS, COLUMNS=COLUMNS, num_warps=4)

    return one_round, lambda: out.double().abs().sum().item(), ROUNDS


run_case(None, attending)
