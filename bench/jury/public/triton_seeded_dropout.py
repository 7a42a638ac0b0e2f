"""Sets a part of 134 million values to zero, by random numbers that are made on the way.

Nothing is wrong: no mask is stored, and values are read and written in order.
The pattern is that of triton-lang/triton, python/tutorials/04-low-memory-dropout.py."""
import torch
import triton
import triton.language as tl

from case import run_case

COUNT, BLOCK, PART, ROUNDS = 128 << 20, 1024, 0.25, 1000


@triton.jit
def drop_out(out, values, part, seed, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, place) > part
    tl.store(out + place, tl.where(kept, tl.load(values + place) / (1 - part), 0.0))


def dropping():
    torch.manual_seed(1)
    values = torch.rand(COUNT, device="cuda")
    out = torch.empty_like(values)

    def one_round():
        drop_out[(COUNT // BLOCK,)](out, values, PART, 123, BLOCK=BLOCK)

    return one_round, lambda: out[:1 << 22].double().sum().item(), ROUNDS


run_case(None, dropping)
