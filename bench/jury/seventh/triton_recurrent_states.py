"""Linear attention of eight heads over 1024 words, word by word: a state of 128 x 256 values for each head.

At fault: a program takes the whole state of a head, so that eight blocks run on a GPU of 132 multiprocessors.
The pattern is that of fla-org/flash-linear-attention, fla/ops/common/fused_recurrent.py, whose programs take a part of the
values of a head each, as columns of the state do not need each other."""
import torch
import triton
import triton.language as tl

from case import run_case

HEADS, LENGTH, KEYS, VALUES, PART, ROUNDS = 8, 1024, 128, 256, 16, 120


@triton.jit
def walk_along(out, queries, keys, values, decays, LENGTH, KEYS: tl.constexpr, VALUES: tl.constexpr, PART: tl.constexpr):
    head = tl.program_id(1)
    key = tl.arange(0, KEYS)
    value = tl.program_id(0) * PART + tl.arange(0, PART)
    decay = tl.load(decays + head)
    state = tl.zeros([KEYS, PART], tl.float32)
    for word in range(LENGTH):
        row = head * LENGTH + word
        own_key = tl.load(keys + row * KEYS + key)  # fault
        own_value = tl.load(values + row * VALUES + value)  # fault
        own_query = tl.load(queries + row * KEYS + key)  # fault
        state = state * decay + own_key[:, None] * own_value[None, :]
        tl.store(out + row * VALUES + value, tl.sum(state * own_query[:, None], 0))  # fault


def made_tensors():
    torch.manual_seed(1)
    queries, keys = (torch.randn(HEADS, LENGTH, KEYS, device="cuda") / KEYS ** 0.5 for _ in range(2))
    values = torch.randn(HEADS, LENGTH, VALUES, device="cuda")
    decays = 1 - 2.0 ** -torch.arange(5, 5 + HEADS, device="cuda").float()
    return torch.empty_like(values), queries, keys, values, decays


def total_of(out):
    return out.double().abs().sum().item()


def head_by_head():
    tensors = made_tensors()

    def one_round():
        walk_along[(1, HEADS)](*tensors, LENGTH, KEYS=KEYS, VALUES=VALUES, PART=VALUES, num_warps=8)  # fault

    return one_round, lambda: total_of(tensors[0]), ROUNDS


def part_by_part():
    tensors = made_tensors()

    def one_round():
        walk_along[(VALUES // PART, HEADS)](*tensors, LENGTH, KEYS=KEYS, VALUES=VALUES, PART=PART, num_warps=1)

    return one_round, lambda: total_of(tensors[0]), ROUNDS


run_case(head_by_head, part_by_part)
