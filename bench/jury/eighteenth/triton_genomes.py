"""Names the species of two stretches of a genome a round, each of 65536 places: words of six bases become vectors, and
in each of three layers 64 summaries of a stretch look at all of its places by attention and are thought over.

At fault: a program attends to half of a stretch for one head, so there are no more than 32 programs, and most of the
GPU has nothing to do; cut the stretch into 32 parts, and merge what their 512 programs found by their maxima and sums.
The pattern is that of sgl-project/sglang, pull request 27786 (more parts of a long context than a low limit allowed,
1.2 to 3.5 times as fast), and NVIDIA/TensorRT-LLM, pull request 15399: attention of few queries to 15360 keys, cut
into parts."""
import torch
import triton
import triton.language as tl
from torch.nn import functional

from case import run_case

STRETCHES, LENGTH, WORDS, SPECIES, LAYERS, HEADS, SIZE, SUMMARIES = 2, 65536, 4096, 2048, 3, 8, 64, 64
WIDTH, STEP, FEW, MANY, SETS, ROUNDS = HEADS * SIZE, 128, 2, 32, 8, 1500


@triton.jit
def attend(queries, both, sums, tops, shares, LENGTH: tl.constexpr, HEADS: tl.constexpr, SIZE: tl.constexpr,
           SUMMARIES: tl.constexpr, PARTS: tl.constexpr, STEP: tl.constexpr, SCALE: tl.constexpr):
    """Of a part of a stretch: sums that are not yet divided by their shares."""
    head, part = tl.program_id(0), tl.program_id(1)
    stretch, own = head // HEADS, head % HEADS
    summaries, places, steps = tl.arange(0, SUMMARIES), tl.arange(0, SIZE), tl.arange(0, STEP)
    rows = (stretch * SUMMARIES + summaries) * (HEADS * SIZE) + own * SIZE
    query = tl.load(queries + rows[:, None] + places[None, :])
    first = both + (stretch * LENGTH + part * (LENGTH // PARTS)).to(tl.int64) * (2 * HEADS * SIZE) + own * SIZE
    top = tl.full((SUMMARIES,), float("-inf"), tl.float32)
    share = tl.zeros((SUMMARIES,), tl.float32)
    found = tl.zeros((SUMMARIES, SIZE), tl.float32)
    for start in range(0, LENGTH // PARTS, STEP):
        there = (start + steps)[:, None] * (2 * HEADS * SIZE) + places[None, :]
        key = tl.load(first + there)
        alike = tl.dot(query, tl.trans(key)) * SCALE
        higher = tl.maximum(top, tl.max(alike, 1))
        weight = tl.exp2(alike - higher[:, None])
        left = tl.exp2(top - higher)
        value = tl.load(first + HEADS * SIZE + there)
        found = tl.dot(weight.to(tl.bfloat16), value, found * left[:, None])
        share = share * left + tl.sum(weight, 1)
        top = higher
    place = (head * PARTS + part) * SUMMARIES + summaries
    tl.store(tops + place, top)
    tl.store(shares + place, share)
    tl.store(sums + place[:, None] * SIZE + places[None, :], found)


@triton.jit
def merge(sums, tops, shares, seen, HEADS: tl.constexpr, SIZE: tl.constexpr, SUMMARIES: tl.constexpr,
          PARTS: tl.constexpr):
    head, summary = tl.program_id(0), tl.program_id(1)
    parts, places = tl.arange(0, PARTS), tl.arange(0, SIZE)
    place = (head * PARTS + parts) * SUMMARIES + summary
    top = tl.load(tops + place)
    weight = tl.exp2(top - tl.max(top, 0))
    share = tl.sum(weight * tl.load(shares + place), 0)
    found = tl.sum(tl.load(sums + place[:, None] * SIZE + places[None, :]) * weight[:, None], 0)
    row = ((head // HEADS) * SUMMARIES + summary) * (HEADS * SIZE) + head % HEADS * SIZE
    tl.store(seen + row + places, (found / share).to(tl.bfloat16))


def made_weights(after, before):
    return torch.randn(after, before, device="cuda", dtype=torch.bfloat16).mul_(before ** -0.5)


class Layer:
    def __init__(self, parts):
        self.parts = parts
        self.ask, self.offer = made_weights(WIDTH, WIDTH), made_weights(2 * WIDTH, WIDTH)
        self.up, self.down = made_weights(4 * WIDTH, WIDTH), made_weights(WIDTH, 4 * WIDTH)
        self.sums = torch.empty(STRETCHES * HEADS, parts, SUMMARIES, SIZE, device="cuda")
        self.tops, self.shares = torch.empty(2, STRETCHES * HEADS, parts, SUMMARIES, device="cuda")

    def think(self, state, vectors):
        queries, both = functional.layer_norm(state, (WIDTH,)) @ self.ask.T, vectors @ self.offer.T
        seen = torch.empty_like(queries)
        attend[(STRETCHES * HEADS, self.parts)](  # fault
            queries, both, self.sums, self.tops, self.shares, LENGTH=LENGTH, HEADS=HEADS, SIZE=SIZE,
            SUMMARIES=SUMMARIES, PARTS=self.parts, STEP=STEP, SCALE=SIZE ** -0.5 * 1.442695, num_warps=4,
            num_stages=3)
        merge[(STRETCHES * HEADS, SUMMARIES)](self.sums, self.tops, self.shares, seen, HEADS=HEADS, SIZE=SIZE,
                                              SUMMARIES=SUMMARIES, PARTS=self.parts, num_warps=1)
        state = state + seen
        return state + functional.gelu(functional.layer_norm(state, (WIDTH,)) @ self.up.T) @ self.down.T


def naming(parts):
    torch.manual_seed(1)
    table, start = (torch.randn(rows, WIDTH, device="cuda", dtype=torch.bfloat16) for rows in (WORDS, SUMMARIES))
    species = made_weights(SPECIES, WIDTH)
    layers = [Layer(parts) for _ in range(LAYERS)]  # fault
    words = torch.randint(WORDS, (SETS, STRETCHES * LENGTH), device="cuda")
    named, number = torch.zeros((), device="cuda"), [0]

    @torch.no_grad()
    def one_round():
        vectors = table.index_select(0, words[number[0] % SETS])
        state = start.repeat(STRETCHES, 1)
        for layer in layers:
            state = layer.think(state, vectors)
        scores = functional.layer_norm(state, (WIDTH,)).view(STRETCHES, SUMMARIES, WIDTH).mean(1) @ species.T
        named.add_(scores.float().logsumexp(1).mean())
        number[0] += 1

    return one_round, lambda: named.item(), ROUNDS


run_case(lambda: naming(FEW), lambda: naming(MANY))
