"""How far the words that a drafting model expects for 512 tokens are from those of the full model, over 128,256 words.

At fault: the block holds all words of a token, 128 a thread, which do not fit into registers and go to local memory.
The pattern is that of vllm-project/speculators, pull request 1111: blocks of 131,072 words spill, and reach 6 % of the
bandwidth; smaller blocks walk along the words."""
import torch
import triton
import triton.language as tl

from case import run_case

TOKENS, WORDS, WIDTH, ROUNDS = 512, 128256, 4096, 140
WHOLE, PART = 131072, 4096


@triton.jit
def divergence_of_tokens(losses, scores, wanted, WORDS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * WORDS
    high, total = float("-inf"), 0.0
    wanted_high, wanted_total = float("-inf"), 0.0
    for first in range(0, WORDS, BLOCK):
        word = first + tl.arange(0, BLOCK)
        there = word < WORDS
        score = tl.load(scores + row + word, mask=there, other=float("-inf")).to(tl.float32)  # fault
        higher = tl.maximum(high, tl.max(score, 0))
        total = total * tl.exp(high - higher) + tl.sum(tl.exp(score - higher), 0)
        high = higher
    for first in range(0, WORDS, BLOCK):
        word = first + tl.arange(0, BLOCK)
        there = word < WORDS
        want = tl.load(wanted + row + word, mask=there, other=float("-inf")).to(tl.float32)  # fault
        higher = tl.maximum(wanted_high, tl.max(want, 0))
        wanted_total = wanted_total * tl.exp(wanted_high - higher) + tl.sum(tl.exp(want - higher), 0)
        wanted_high = higher
    shift, wanted_shift = high + tl.log(total), wanted_high + tl.log(wanted_total)
    loss = 0.0
    for first in range(0, WORDS, BLOCK):
        word = first + tl.arange(0, BLOCK)
        there = word < WORDS
        score = tl.load(scores + row + word, mask=there, other=0).to(tl.float32) - shift  # fault
        want = tl.load(wanted + row + word, mask=there, other=0).to(tl.float32) - wanted_shift  # fault
        loss += tl.sum(tl.where(there, tl.exp(want) * (want - score), 0.0), 0)
    tl.store(losses + tl.program_id(0), loss)


def made_tensors():
    torch.manual_seed(1)
    hidden = torch.randn(TOKENS, WIDTH, device="cuda", dtype=torch.bfloat16)
    weights = torch.randn(WORDS, WIDTH, device="cuda", dtype=torch.bfloat16) / WIDTH ** 0.5
    wanted = torch.randn(TOKENS, WORDS, device="cuda", dtype=torch.bfloat16)
    return hidden, weights, wanted, torch.empty(TOKENS, device="cuda")


def total_of(losses):
    return losses.double().sum().item()


def all_words_together():
    hidden, weights, wanted, losses = made_tensors()

    def one_round():
        divergence_of_tokens[(TOKENS,)](losses, hidden @ weights.t(), wanted, WORDS=WORDS, BLOCK=WHOLE, num_warps=32)  # fault

    return one_round, lambda: total_of(losses), ROUNDS


def part_by_part():
    hidden, weights, wanted, losses = made_tensors()

    def one_round():
        divergence_of_tokens[(TOKENS,)](losses, hidden @ weights.t(), wanted, WORDS=WORDS, BLOCK=PART, num_warps=8)

    return one_round, lambda: total_of(losses), ROUNDS


run_case(all_words_together, part_by_part)
