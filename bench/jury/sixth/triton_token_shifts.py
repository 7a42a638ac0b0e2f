"""Mixes each of 32,768 tokens with the token before it, by a share for each of 2048 channels.

Nothing is wrong: each row is read twice, as itself and as the row before, but the second time it comes from a cache.
The pattern is that of fla-org/flash-linear-attention, fla/modules/token_shift.py."""
import torch
import triton
import triton.language as tl

from case import run_case

TEXTS, LENGTH, WIDTH, ROWS, BLOCK, ROUNDS = 8, 4096, 2048, 4, 1024, 2000


@triton.jit
def shift_tokens(out, hidden, shares, LENGTH: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = row[:, None] * WIDTH + column[None, :]
    inside = (row % LENGTH > 0)[:, None] & (column < WIDTH)[None, :]
    here = tl.load(hidden + at).to(tl.float32)
    before = tl.load(hidden + at - WIDTH, mask=inside, other=0.0).to(tl.float32)
    share = tl.load(shares + column).to(tl.float32)
    tl.store(out + at, (here + (before - here) * share[None, :]).to(tl.bfloat16))


def shifting():
    torch.manual_seed(1)
    hidden = torch.randn(TEXTS * LENGTH, WIDTH, device="cuda", dtype=torch.bfloat16)
    shares = torch.rand(WIDTH, device="cuda", dtype=torch.bfloat16)
    out = torch.empty_like(hidden)

    def one_round():
        shift_tokens[(WIDTH // BLOCK, TEXTS * LENGTH // ROWS)](
            out, hidden, shares, LENGTH=LENGTH, WIDTH=WIDTH, ROWS=ROWS, BLOCK=BLOCK, num_warps=8)

    return one_round, lambda: out.double().abs().sum().item(), ROUNDS


run_case(None, shifting)
