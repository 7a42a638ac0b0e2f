"""Norms of the queries of 65,536 tokens: 16 heads of 64 values each.

At fault: a program takes one head, so that 128 threads share 64 values and half of them have none of their own; a
million programs come and go.
The patterns are those of ROCm/aiter, pull request 1350, where norms of many short rows become up to 36 times as fast, and of
ROCm/TransformerEngine, pull request 615: many rows a program."""
import torch
import triton
import triton.language as tl

from case import run_case

TOKENS, HEADS, WIDTH, ROWS, ROUNDS = 65536, 16, 64, 32, 1000


@triton.jit
def norm_one_head(out, queries, weights, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    at = tl.program_id(0) * WIDTH + column
    own = tl.load(queries + at).to(tl.float32)  # fault
    scale = 1.0 / tl.sqrt(tl.sum(own * own, 0) / WIDTH + 1e-6)
    tl.store(out + at, (own * scale * tl.load(weights + column).to(tl.float32)).to(tl.bfloat16))  # fault


@triton.jit
def norm_many_heads(out, queries, weights, WIDTH: tl.constexpr, ROWS: tl.constexpr):
    column = tl.arange(0, WIDTH)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = row[:, None] * WIDTH + column[None, :]
    own = tl.load(queries + at).to(tl.float32)
    scale = 1.0 / tl.sqrt(tl.sum(own * own, 1) / WIDTH + 1e-6)
    normed = own * scale[:, None] * tl.load(weights + column).to(tl.float32)[None, :]
    tl.store(out + at, normed.to(tl.bfloat16))


def made_tensors():
    torch.manual_seed(1)
    queries = torch.randn(TOKENS * HEADS, WIDTH, device="cuda", dtype=torch.bfloat16)
    return torch.empty_like(queries), queries, 1 + torch.rand(WIDTH, device="cuda", dtype=torch.bfloat16)


def total_of(out):
    return out.double().abs().sum().item()


def head_by_head():
    out, queries, weights = made_tensors()

    def one_round():
        norm_one_head[(TOKENS * HEADS,)](out, queries, weights, WIDTH=WIDTH, num_warps=4)  # fault

    return one_round, lambda: total_of(out), ROUNDS


def many_heads():
    out, queries, weights = made_tensors()

    def one_round():
        norm_many_heads[(TOKENS * HEADS // ROWS,)](out, queries, weights, WIDTH=WIDTH, ROWS=ROWS, num_warps=4)

    return one_round, lambda: total_of(out), ROUNDS


run_case(head_by_head, many_heads)
