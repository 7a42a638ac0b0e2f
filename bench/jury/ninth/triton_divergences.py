"""Divergences of 4096 pairs of distributions over 32,768 words.

Nothing is wrong: a program a row, which reads neighbouring values and keeps its sum in registers.
The pattern is that of linkedin/Liger-Kernel, src/liger_kernel/ops/kl_div.py, forward."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, WORDS, BLOCK, ROUNDS = 4096, 32768, 4096, 6000


@triton.jit
def diverge(out, said, wanted, WORDS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, WORDS, BLOCK):
        at = row * WORDS + begin + tl.arange(0, BLOCK)
        true = tl.load(wanted + at)
        total += true * (tl.log(tl.maximum(true, 1e-10)) - tl.load(said + at))
    tl.store(out + row, tl.sum(total, 0))


def diverging():
    torch.manual_seed(1)
    said = torch.randn(ROWS, WORDS, device="cuda").log_softmax(1)
    wanted = torch.randn(ROWS, WORDS, device="cuda").softmax(1)
    out = torch.empty(ROWS, device="cuda")

    def one_round():
        diverge[(ROWS,)](out, said, wanted, WORDS=WORDS, BLOCK=BLOCK, num_warps=8)

    return one_round, lambda: out.double().sum().item(), ROUNDS


run_case(None, diverging)
