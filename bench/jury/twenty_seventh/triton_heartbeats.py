"""Foretells how hearts go on: eight people have worn a recorder for a night, 32760 beats each, which a transformer has
read. Each round starts from a beat of each person and foretells the next eight, each from those before it. Products
are those of the library, attention to the beats of the night is Triton, and a new beat is one CUDA graph."""
import math

import torch
import triton
import triton.language as tl
from torch import nn
from torch.nn import functional

from case import run_case

PEOPLE, HISTORY, AHEAD, FEATURES, SETS, ROUNDS = 8, 32760, 8, 64, 7, 300
WIDTH, INNER, LAYERS, KEY_HEADS, GROUP, SIZE, SPLITS, TILE = 2048, 4096, 8, 2, 16, 64, 32, 128
BEATS, PAIRS, HEADS = HISTORY + AHEAD, PEOPLE * KEY_HEADS, PEOPLE * KEY_HEADS * GROUP
SCALE = math.log2(math.e) * SIZE ** -0.5


@triton.jit
def looked(query, keys, values, begin, end, GROUP: tl.constexpr, SIZE: tl.constexpr, TILE: tl.constexpr):
    """Goes through beats from `begin` to `end`; scores are logarithms to the base of two."""
    columns = tl.arange(0, SIZE)
    best = tl.full((GROUP,), -1e30, tl.float32)
    total = tl.zeros((GROUP,), tl.float32)
    sums = tl.zeros((GROUP, SIZE), tl.float32)
    for first in range(begin, end, TILE):
        beats = first + tl.arange(0, TILE)
        key = tl.load(keys + beats[None, :] * SIZE + columns[:, None], mask=beats[None, :] < end, other=0.0)
        score = tl.where(beats[None, :] < end, tl.dot(query, key), -1e30)
        now = tl.maximum(best, tl.max(score, 1))
        share, fade = tl.exp2(score - now[:, None]), tl.exp2(best - now)
        value = tl.load(values + beats[:, None] * SIZE + columns[None, :], mask=beats[:, None] < end, other=0.0)
        total = total * fade + tl.sum(share, 1)
        sums = sums * fade[:, None] + tl.dot(share.to(tl.bfloat16), value)
        best = now
    return best, total, sums


@triton.jit
def attend(queries, keys, values, position, seen, SCALE: tl.constexpr, BEATS: tl.constexpr, GROUP: tl.constexpr,
           SIZE: tl.constexpr, TILE: tl.constexpr):
    """A program has the heads of a person that share their keys."""
    pair, rows, columns = tl.program_id(0), tl.arange(0, GROUP), tl.arange(0, SIZE)  # fault
    own = (pair * GROUP + rows)[:, None] * SIZE + columns[None, :]
    query = (tl.load(queries + own).to(tl.float32) * SCALE).to(tl.bfloat16)
    night = pair * BEATS * SIZE
    end = tl.load(position).to(tl.int32) + 1
    best, total, sums = looked(query, keys + night, values + night, 0, end, GROUP, SIZE, TILE)  # fault
    tl.store(seen + own, (sums / total[:, None]).to(tl.bfloat16))


@triton.jit
def attend_part(queries, keys, values, position, parts, bests, totals, SCALE: tl.constexpr, BEATS: tl.constexpr,
                GROUP: tl.constexpr, SIZE: tl.constexpr, SPLITS: tl.constexpr, TILE: tl.constexpr):
    """A program has the heads of a person that share their keys, and a part of the night."""
    pair, split = tl.program_id(0), tl.program_id(1)
    rows, columns = pair * GROUP + tl.arange(0, GROUP), tl.arange(0, SIZE)
    query = tl.load(queries + rows[:, None] * SIZE + columns[None, :]).to(tl.float32) * SCALE
    night = pair * BEATS * SIZE
    end = tl.load(position).to(tl.int32) + 1
    part = tl.cdiv(tl.cdiv(end, SPLITS), TILE) * TILE
    best, total, sums = looked(query.to(tl.bfloat16), keys + night, values + night, split * part,
                               tl.minimum(split * part + part, end), GROUP, SIZE, TILE)
    out = rows * SPLITS + split
    tl.store(bests + out, best)
    tl.store(totals + out, total)
    tl.store(parts + out[:, None] * SIZE + columns[None, :], sums)


@triton.jit
def join(parts, bests, totals, seen, SIZE: tl.constexpr, SPLITS: tl.constexpr):
    """A program has a head of a person."""
    splits, columns = tl.program_id(0) * SPLITS + tl.arange(0, SPLITS), tl.arange(0, SIZE)
    best = tl.load(bests + splits)
    share = tl.exp2(best - tl.max(best, 0))
    total = tl.sum(share * tl.load(totals + splits), 0)
    sums = tl.sum(share[:, None] * tl.load(parts + splits[:, None] * SIZE + columns[None, :]), 0)
    tl.store(seen + tl.program_id(0) * SIZE + columns, (sums / total).to(tl.bfloat16))


def by_pairs(query, keys, values, position):
    seen = torch.empty_like(query)
    attend[(PAIRS,)](query, keys, values, position, seen, SCALE=SCALE, BEATS=BEATS, GROUP=GROUP, SIZE=SIZE,  # fault
                     TILE=TILE, num_warps=4, num_stages=3)
    return seen


def by_parts(query, keys, values, position):
    seen, parts = torch.empty_like(query), torch.empty(HEADS, SPLITS, SIZE, device="cuda")
    bests, totals = torch.empty(2, HEADS, SPLITS, device="cuda")
    attend_part[(PAIRS, SPLITS)](query, keys, values, position, parts, bests, totals, SCALE=SCALE, BEATS=BEATS,
                                 GROUP=GROUP, SIZE=SIZE, SPLITS=SPLITS, TILE=TILE, num_warps=4, num_stages=3)
    join[(HEADS,)](parts, bests, totals, seen, SIZE=SIZE, SPLITS=SPLITS, num_warps=2)
    return seen


class Layer(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.norm, self.second_norm = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH + 2 * KEY_HEADS * SIZE, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.up, self.down = nn.Linear(WIDTH, INNER, bias=False), nn.Linear(INNER, WIDTH, bias=False)
        self.keys, self.values = 1.5 * torch.randn(2, PEOPLE, KEY_HEADS, BEATS, SIZE, dtype=torch.bfloat16)
        self.attention = attention

    def forward(self, state, position):
        query, key, value = self.project(self.norm(state)).split((WIDTH, KEY_HEADS * SIZE, KEY_HEADS * SIZE), 1)
        self.keys.index_copy_(2, position, key.view(PEOPLE, KEY_HEADS, 1, SIZE))
        self.values.index_copy_(2, position, value.view(PEOPLE, KEY_HEADS, 1, SIZE))
        seen = self.attention(query.contiguous(), self.keys, self.values, position)  # fault
        state = state + self.out(seen)
        return state + self.down(functional.silu(self.up(self.second_norm(state))))


class Heart(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.embed, self.head = nn.Linear(FEATURES, WIDTH), nn.Linear(WIDTH, FEATURES)
        self.layers = nn.ModuleList(Layer(attention) for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH)

    def forward(self, beat, position):
        state = self.embed(beat)
        for layer in self.layers:
            state = layer(state, position)  # fault
        return torch.tanh(3 * self.head(self.norm(state)))


class Ward:
    @torch.no_grad()
    def __init__(self, attention):
        with torch.device("cuda"):
            self.heart = Heart(attention).to(torch.bfloat16).eval().requires_grad_(False)
            self.starts = torch.rand(SETS, PEOPLE, FEATURES).to(torch.bfloat16)
            self.beat, self.position = torch.zeros(PEOPLE, FEATURES, dtype=torch.bfloat16), torch.tensor([HISTORY])
            self.foretold = torch.zeros(())
        self.graph, self.number = torch.cuda.CUDAGraph(), 0
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self.foretell()  # fault
        torch.cuda.current_stream().wait_stream(stream)
        with torch.cuda.graph(self.graph):
            self.foretell()  # fault
        self.foretold.zero_()

    def foretell(self):
        self.beat.copy_(self.heart(self.beat, self.position))  # fault
        self.position.add_(1)
        self.foretold.add_(self.beat.abs().mean(dtype=torch.float32))

    @torch.inference_mode()
    def watch(self):
        torch.mul(self.starts[self.number % SETS], 1 + 0.05 * (self.number % 11), out=self.beat)
        self.position.fill_(HISTORY)
        for _ in range(AHEAD):
            self.graph.replay()  # fault
        self.number += 1


def beating(attention):
    torch.manual_seed(1)
    ward = Ward(attention)
    return ward.watch, lambda: ward.foretold.item(), ROUNDS


run_case(lambda: beating(by_pairs), lambda: beating(by_parts))
