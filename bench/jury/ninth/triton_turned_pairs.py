"""Turns pairs of neighbouring values of 24 heads by the places of 32,768 tokens.

At fault: the two values of the pairs are loaded and stored by themselves, so that each access uses every other value.
The pattern is that of sgl-project/sglang, pull request 28147: runs of values, split in registers."""
import torch
import triton
import triton.language as tl

from case import run_case

TOKENS, HEADS, EACH, BLOCK, ROUNDS = 32768, 24, 128, 8, 8000


@triton.jit
def turn_by_halves(out, values, cosines, sines, HEADS: tl.constexpr, EACH: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    head = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[:, None]
    pair = tl.arange(0, EACH // 2)[None, :]
    cosine = tl.load(cosines + token * (EACH // 2) + pair)
    sine = tl.load(sines + token * (EACH // 2) + pair)
    at = (token * HEADS + head) * EACH + 2 * pair
    first = tl.load(values + at).to(tl.float32)  # fault
    second = tl.load(values + at + 1).to(tl.float32)  # fault
    tl.store(out + at, (first * cosine - second * sine).to(tl.bfloat16))  # fault
    tl.store(out + at + 1, (second * cosine + first * sine).to(tl.bfloat16))  # fault


@triton.jit
def turn_by_runs(out, values, cosines, sines, HEADS: tl.constexpr, EACH: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    head = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[:, None]
    pair = tl.arange(0, EACH // 2)[None, :]
    cosine = tl.load(cosines + token * (EACH // 2) + pair)
    sine = tl.load(sines + token * (EACH // 2) + pair)
    at = (token * HEADS + head) * EACH + tl.arange(0, EACH)[None, :]
    both = tl.reshape(tl.load(values + at), (BLOCK, EACH // 2, 2)).to(tl.float32)
    first, second = tl.split(both)
    turned = tl.interleave(first * cosine - second * sine, second * cosine + first * sine)
    tl.store(out + at, turned.to(tl.bfloat16))


def turning(kernel):
    torch.manual_seed(1)
    values = torch.randn(TOKENS, HEADS, EACH, device="cuda").bfloat16()
    speeds = 10000.0 ** (-torch.arange(EACH // 2, device="cuda") / (EACH // 2))
    angles = torch.arange(TOKENS, device="cuda")[:, None] * speeds
    cosines, sines, out = angles.cos(), angles.sin(), torch.empty_like(values)

    def one_round():
        kernel[(TOKENS, HEADS // BLOCK)](out, values, cosines, sines, HEADS=HEADS, EACH=EACH, BLOCK=BLOCK,  # fault
                                         num_warps=4)

    return one_round, lambda: out.double().abs().sum().item(), ROUNDS


run_case(lambda: turning(turn_by_halves), lambda: turning(turn_by_runs))
