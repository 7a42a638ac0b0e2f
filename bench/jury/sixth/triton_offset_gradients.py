"""The gradients of the biases that attention adds by distance, from eight heads of 2048 x 2048 scores.

At fault: each of 33 million gradients is added with an atomic to the word of its distance, 4095 words a head.
The pattern is that of triton-lang/triton, issue 4276, where such atomics on global memory are too slow. Here a program adds up
for 128 distances along many rows, and stores one sum for each."""
import torch
import triton
import triton.language as tl

from case import run_case

HEADS, TOKENS, TILE, ROWS, DISTANCES, PARTS, ROUNDS = 8, 2048, 64, 32, 128, 8, 300
WORDS = 2 * TOKENS  # one more than there are distances


@triton.jit
def add_by_score(sums, gradients, TOKENS: tl.constexpr, TILE: tl.constexpr):
    row = tl.program_id(1) * TILE + tl.arange(0, TILE)
    column = tl.program_id(0) * TILE + tl.arange(0, TILE)
    head = tl.program_id(2)
    gradient = tl.load(gradients + (head * TOKENS + row[:, None]) * TOKENS + column[None, :])
    word = head * 2 * TOKENS + column[None, :] - row[:, None] + TOKENS - 1
    tl.atomic_add(sums + word, gradient, sem="relaxed")  # fault


@triton.jit
def add_by_distance(parts, gradients, TOKENS: tl.constexpr, ROWS: tl.constexpr, DISTANCES: tl.constexpr, PARTS: tl.constexpr):
    first, part, head = tl.program_id(0) * DISTANCES, tl.program_id(1), tl.program_id(2)
    word = first + tl.arange(0, DISTANCES)
    total = tl.zeros([DISTANCES], tl.float32)
    for start in range(part * (TOKENS // PARTS), (part + 1) * (TOKENS // PARTS), ROWS):
        row = start + tl.arange(0, ROWS)
        column = word[None, :] - (TOKENS - 1) + row[:, None]
        there = (column >= 0) & (column < TOKENS)
        total += tl.sum(tl.load(gradients + (head * TOKENS + row[:, None]) * TOKENS + column, mask=there, other=0.0), 0)
    tl.store(parts + (part * tl.num_programs(2) + head) * 2 * TOKENS + word, total)


def made_tensors():
    torch.manual_seed(1)
    chances = torch.softmax(torch.randn(HEADS, TOKENS, TOKENS, device="cuda"), 2)
    return chances, 1 + torch.rand(HEADS, TOKENS, TOKENS, device="cuda")


def gradients_of(chances, slopes):
    """Those of the scores that a softmax turned to chances."""
    weighted = chances * slopes
    return torch.addcmul(weighted, chances, weighted.sum(2, keepdim=True), value=-0.5)


def total_of(sums):
    return sums.double().abs().sum().item()


def by_atomics():
    chances, slopes = made_tensors()
    results = [None]

    def one_round():
        results[0] = torch.zeros(HEADS, WORDS, device="cuda")
        add_by_score[(TOKENS // TILE, TOKENS // TILE, HEADS)](
            results[0], gradients_of(chances, slopes), TOKENS=TOKENS, TILE=TILE, num_warps=4)

    return one_round, lambda: total_of(results[0]), ROUNDS


def by_distance():
    chances, slopes = made_tensors()
    parts, results = torch.empty(PARTS, HEADS, WORDS, device="cuda"), [None]

    def one_round():
        add_by_distance[(WORDS // DISTANCES, PARTS, HEADS)](
            parts, gradients_of(chances, slopes), TOKENS=TOKENS, ROWS=ROWS, DISTANCES=DISTANCES, PARTS=PARTS, num_warps=4)
        results[0] = parts.sum(0)

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(by_atomics, by_distance)
