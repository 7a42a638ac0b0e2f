"""Scales 1536 tokens of 16,384 values to bytes.

At fault: a program takes 32 tokens, so that 48 programs are all there are.
The pattern is that of ROCm/aiter, pull request 306: a program a row, 60 microseconds become 6."""
import torch
import triton
import triton.language as tl

from case import run_case

TOKENS, WIDTH, ROUNDS = 1536, 16384, 12000


@triton.jit
def scale_tokens(out, scales, tokens, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    for number in range(ROWS):
        row = tl.program_id(0) * ROWS + number
        own = tl.load(tokens + row * WIDTH + column).to(tl.float32)  # fault
        scale = tl.maximum(tl.max(tl.abs(own), 0), 1e-6) / 127.0
        tl.store(out + row * WIDTH + column, (own / scale).to(tl.int8))
        tl.store(scales + row, scale)


def scaling(rows):
    torch.manual_seed(1)
    tokens = torch.randn(TOKENS, WIDTH, device="cuda").bfloat16()
    out, scales = torch.empty(TOKENS, WIDTH, device="cuda", dtype=torch.int8), torch.empty(TOKENS, device="cuda")

    def one_round():
        scale_tokens[(TOKENS // rows,)](out, scales, tokens, ROWS=rows, WIDTH=WIDTH, num_warps=8)  # fault

    return one_round, lambda: (out.double().abs().sum() + scales.double().sum()).item(), ROUNDS


run_case(lambda: scaling(32), lambda: scaling(1))
