"""Brings the keys of 131,072 tokens to 8 bits and into the pages of a cache, 128 values with a scale of their own.

At fault: a program takes 128 values, so that each lane reads one half and writes one byte.
The pattern is that of flagos-ai/FlagGems, pull request 3688, whose kernel takes several groups a program."""
import torch
import triton
import triton.language as tl

from case import run_case

TOKENS, WIDTH, GROUP, PAGE, TOGETHER, ROUNDS = 131072, 512, 128, 64, 8, 1000


@triton.jit
def quantise_group(cache, scales, keys, slots, WIDTH: tl.constexpr, GROUP: tl.constexpr):
    token, group = tl.program_id(0), tl.program_id(1)
    column = group * GROUP + tl.arange(0, GROUP)
    slot = tl.load(slots + token)
    values = tl.load(keys + token * WIDTH + column).to(tl.float32)  # fault
    scale = tl.maximum(tl.max(tl.abs(values), 0), 1e-8) / 127
    tl.store(cache + slot * WIDTH + column, tl.floor(values / scale + 0.5).to(tl.int8))  # fault
    tl.store(scales + slot * (WIDTH // GROUP) + group, scale)


@triton.jit
def quantise_tokens(cache, scales, keys, slots, GROUP: tl.constexpr, GROUPS: tl.constexpr, TOGETHER: tl.constexpr):
    row = tl.program_id(0) * TOGETHER * GROUPS + tl.arange(0, TOGETHER * GROUPS)
    column = tl.arange(0, GROUP)
    into = tl.load(slots + row // GROUPS) * GROUPS + row % GROUPS
    values = tl.load(keys + row[:, None] * GROUP + column[None, :]).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(values), 1), 1e-8) / 127
    tl.store(cache + into[:, None] * GROUP + column[None, :], tl.floor(values / scale[:, None] + 0.5).to(tl.int8))
    tl.store(scales + into, scale)


def made_tensors():
    torch.manual_seed(1)
    keys = torch.randn(TOKENS, WIDTH, device="cuda", dtype=torch.half)
    page = torch.arange(TOKENS // PAGE, device="cuda") * 1021 % (TOKENS // PAGE)
    slots = (page[:, None] * PAGE + torch.arange(PAGE, device="cuda")).flatten().int()
    return keys, slots, torch.zeros(TOKENS, WIDTH, device="cuda", dtype=torch.int8), torch.zeros(
        TOKENS, WIDTH // GROUP, device="cuda")


def total_of(cache, scales):
    return cache.float().abs().double().sum().item() + scales.double().sum().item()


def a_group_a_program():
    keys, slots, cache, scales = made_tensors()

    def one_round():
        quantise_group[(TOKENS, WIDTH // GROUP)](cache, scales, keys, slots, WIDTH=WIDTH, GROUP=GROUP, num_warps=4)

    return one_round, lambda: total_of(cache, scales), ROUNDS


def tokens_together():
    keys, slots, cache, scales = made_tensors()

    def one_round():
        quantise_tokens[(TOKENS // TOGETHER,)](
            cache, scales, keys, slots, GROUP=GROUP, GROUPS=WIDTH // GROUP, TOGETHER=TOGETHER, num_warps=4)

    return one_round, lambda: total_of(cache, scales), ROUNDS


run_case(a_group_a_program, tokens_together)
