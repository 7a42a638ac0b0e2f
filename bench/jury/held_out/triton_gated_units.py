"""Gated linear units over 16,384 rows of 8192 values.

Nothing is wrong: a program takes a run of a row, and each value is moved once.
The pattern is that of linkedin/Liger-Kernel, src/liger_kernel/ops/swiglu.py."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, COLUMNS, BLOCK, ROUNDS = 16384, 8192, 2048, 500


@triton.jit
def gated(out, gates, values, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(gates + at)
    tl.store(out + at, gate * tl.sigmoid(gate) * tl.load(values + at))


def units():
    torch.manual_seed(1)
    gates, values = (torch.rand(ROWS, COLUMNS, device="cuda") for _ in range(2))
    out = torch.empty_like(gates)

    def one_round():
        gated[(ROWS * COLUMNS // BLOCK,)](out, gates, values, BLOCK=BLOCK, num_warps=8)

    return one_round, lambda: out[:1024].double().sum().item(), ROUNDS


run_case(None, units)
