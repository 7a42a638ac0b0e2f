"""How much a language model is surprised by 4096 words of a text: losses from its scores of 131,072 words.

At fault: the kernel goes through a row of 256 KB for its maximum and once more for its sum, and the rows that are under way
do not fit into L2, so all scores come from DRAM twice.
The pattern is that of ROCm/triton, pull request 639: a softmax that corrects its sum whenever its maximum grows."""
import torch
import triton
import triton.language as tl

from case import run_case

ROWS, WORDS, BLOCK, ROUNDS = 4096, 131072, 4096, 2200


@triton.jit
def surprise_by_passes(out, scores, words, WORDS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    begin = scores + row * WORDS
    most = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    for first in range(0, WORDS, BLOCK):
        most = tl.maximum(most, tl.load(begin + first + tl.arange(0, BLOCK)).to(tl.float32))
    largest = tl.max(most, 0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, WORDS, BLOCK):
        total += tl.exp(tl.load(begin + first + tl.arange(0, BLOCK)).to(tl.float32) - largest)  # fault
    own = tl.load(begin + tl.load(words + row)).to(tl.float32)
    tl.store(out + row, largest + tl.log(tl.sum(total, 0)) - own)


@triton.jit
def surprise_at_once(out, scores, words, WORDS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    begin = scores + row * WORDS
    values = tl.load(begin + tl.arange(0, BLOCK)).to(tl.float32)
    largest = tl.max(values, 0)
    total = tl.sum(tl.exp(values - largest), 0)
    for first in range(BLOCK, WORDS, BLOCK):
        values = tl.load(begin + first + tl.arange(0, BLOCK)).to(tl.float32)
        larger = tl.maximum(largest, tl.max(values, 0))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(values - larger), 0)
        largest = larger
    own = tl.load(begin + tl.load(words + row)).to(tl.float32)
    tl.store(out + row, largest + tl.log(total) - own)


def losing(kernel):
    torch.manual_seed(1)
    scores = torch.randn(ROWS, WORDS, device="cuda", dtype=torch.bfloat16).mul_(3)
    words = torch.randint(0, WORDS, (ROWS,), device="cuda")
    out = torch.empty(ROWS, device="cuda")

    def one_round():
        kernel[(ROWS,)](out, scores, words, WORDS=WORDS, BLOCK=BLOCK, num_warps=8)  # fault

    return one_round, lambda: out.double().sum().item(), ROUNDS


run_case(lambda: losing(surprise_by_passes), lambda: losing(surprise_at_once))
