"""Running sums along the time of 64 heads, in chunks of 64 steps.

At fault: a program takes one head of a chunk, and its lanes read and write 256 bytes apart, as the heads lie side by side.
The pattern is that of the kernels of linear attention in triton-lang/triton-ascend, issue 434, which takes several
heads together in one program."""
import torch
import triton
import triton.language as tl

from case import run_case

TIMES, HEADS, CHUNK, TOGETHER, ROUNDS = 1 << 19, 64, 64, 32, 1000


@triton.jit
def sums_of_head(out, values, HEADS: tl.constexpr, CHUNK: tl.constexpr):
    time = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    at = time * HEADS + tl.program_id(1)
    own = tl.load(values + at)  # fault
    tl.store(out + at, tl.cumsum(own, 0))  # fault


@triton.jit
def sums_of_heads(out, values, HEADS: tl.constexpr, CHUNK: tl.constexpr, TOGETHER: tl.constexpr):
    time = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    head = tl.program_id(1) * TOGETHER + tl.arange(0, TOGETHER)
    at = time[:, None] * HEADS + head[None, :]
    own = tl.load(values + at)
    tl.store(out + at, tl.cumsum(own, 0))


def made_tensors():
    torch.manual_seed(1)
    values = torch.rand(TIMES, HEADS, device="cuda")
    return values, torch.empty_like(values)


def total_of(out):
    return (out.double() * torch.arange(1, HEADS + 1, device="cuda")).sum().item()


def one_head():
    values, out = made_tensors()

    def one_round():
        sums_of_head[(TIMES // CHUNK, HEADS)](out, values, HEADS=HEADS, CHUNK=CHUNK, num_warps=2)

    return one_round, lambda: total_of(out), ROUNDS


def several_heads():
    values, out = made_tensors()

    def one_round():
        grid = (TIMES // CHUNK, HEADS // TOGETHER)
        sums_of_heads[grid](out, values, HEADS=HEADS, CHUNK=CHUNK, TOGETHER=TOGETHER, num_warps=4)

    return one_round, lambda: total_of(out), ROUNDS


run_case(one_head, several_heads)
