"""Finds out from which kind of pot shards are: each round, outlines of 8192 shards, of 128 numbers each, are compared
with those of 131072 known pots, of which the most alike one is told, and from it the kind and the age of each shard.

Likenesses stay in registers: a program goes through an eighth of the known pots and keeps, for each of its shards, how
much alike the best one was and among which 128 pots it stood; which one it was is found at the end."""
import torch
import triton
import triton.language as tl

from case import run_case

SHARDS, KNOWN, SIZE, PARTS, TILE, ROWS, KINDS, SETS, ROUNDS = 8192, 131072, 128, 8, 128, 16, 512, 8, 2200


@triton.jit
def describe(raw, outlines, SIZE: tl.constexpr, ROWS: tl.constexpr):
    """Outlines of length one, around their middle."""
    rows, numbers = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, SIZE)
    there = rows[:, None] * SIZE + numbers[None, :]
    own = tl.load(raw + there)
    own = own - (tl.sum(own, 1) / SIZE)[:, None]
    length = tl.sqrt(tl.sum(own * own, 1)) + 1e-6
    tl.store(outlines + there, (own / length[:, None]).to(tl.bfloat16))


@triton.jit
def match(outlines, known, bests, places, SHARDS: tl.constexpr, PART: tl.constexpr, SIZE: tl.constexpr,
          TILE: tl.constexpr):
    shards, numbers, part = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, SIZE), tl.program_id(1)
    own = tl.load(outlines + shards[:, None] * SIZE + numbers[None, :])
    best, place = tl.full((TILE,), -2.0, tl.float32), tl.zeros((TILE,), tl.int32)
    for start in range(0, PART, TILE):
        pots = part * PART + start + tl.arange(0, TILE)
        alike = tl.dot(own, tl.load(known + pots[None, :] * SIZE + numbers[:, None]))
        top = tl.max(alike, 1)
        place = tl.where(top > best, start, place)
        best = tl.maximum(best, top)
    tl.store(bests + part * SHARDS + shards, best)
    tl.store(places + part * SHARDS + shards, part * PART + place)


@triton.jit
def settle(outlines, known, bests, places, kinds, ages, found, told, likely, SHARDS: tl.constexpr, PARTS: tl.constexpr,
           SIZE: tl.constexpr, TILE: tl.constexpr):
    shard, numbers, parts = tl.program_id(0), tl.arange(0, SIZE), tl.arange(0, PARTS)
    part = tl.argmax(tl.load(bests + parts * SHARDS + shard), 0)
    start = tl.load(places + part * SHARDS + shard)
    pots = start + tl.arange(0, TILE)
    own = tl.load(outlines + shard * SIZE + numbers).to(tl.float32)
    others = tl.load(known + pots[:, None] * SIZE + numbers[None, :]).to(tl.float32)
    alike = tl.sum(others * own[None, :], 1)
    pot = start + tl.argmax(alike, 0)
    tl.store(found + shard, tl.load(kinds + pot))
    tl.store(told + shard, tl.load(ages + pot))
    tl.store(likely + shard, tl.max(alike, 0))


def made_outlines(*shape):
    """Smooth lines, as pots have."""
    return torch.randn(*shape, SIZE).cumsum(-1)


class Museum:
    def __init__(self):
        with torch.device("cuda"):
            self.raw = made_outlines(SETS, SHARDS)
            self.known = self.described(made_outlines(KNOWN), torch.empty(KNOWN, SIZE, dtype=torch.bfloat16))
            self.kinds, self.ages = torch.randint(KINDS, (KNOWN,), dtype=torch.int32), torch.rand(KNOWN)
            self.outlines = torch.empty(SHARDS, SIZE, dtype=torch.bfloat16)
            self.bests, self.places = torch.empty(PARTS, SHARDS), torch.empty(PARTS, SHARDS, dtype=torch.int32)
            self.found, (self.told, self.likely) = torch.empty(SHARDS, dtype=torch.int32), torch.empty(2, SHARDS)
            self.sum = torch.zeros((), dtype=torch.float64)
        self.number = 0

    @staticmethod
    def described(raw, outlines):
        describe[(len(raw) // ROWS,)](raw, outlines, SIZE=SIZE, ROWS=ROWS, num_warps=4)
        return outlines

    def sort(self):
        self.described(self.raw[self.number % SETS], self.outlines)
        match[(SHARDS // TILE, PARTS)](
            self.outlines, self.known, self.bests, self.places, SHARDS=SHARDS, PART=KNOWN // PARTS, SIZE=SIZE,
            TILE=TILE, num_warps=8, num_stages=3)
        settle[(SHARDS,)](
            self.outlines, self.known, self.bests, self.places, self.kinds, self.ages, self.found, self.told,
            self.likely, SHARDS=SHARDS, PARTS=PARTS, SIZE=SIZE, TILE=TILE, num_warps=4)
        self.sum.add_(torch.dot(self.told, self.likely))
        self.number += 1


def digging():
    torch.manual_seed(1)
    museum = Museum()
    return museum.sort, lambda: museum.sum.item(), ROUNDS


run_case(None, digging)
