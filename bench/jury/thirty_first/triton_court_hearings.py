"""Listens to three hearings in court: keys and values of what was said in the morning are kept, and what is said now is
judged as it comes. Each round, eight tokens are said in each hearing, one after the other, and for each the network
(four layers in bfloat16, four heads that ask for each one that is kept) tells how much of a surprise it is. A token is
one CUDA graph. Products are those of the library; norms, turns by place, attention and gates are kernels of Triton."""
import math

import torch
import triton
import triton.language as tl
from torch.nn import functional

from case import run_case

HEARINGS, SAID, TOKENS, WORDS, ROUNDS = 3, 20000, 8, 32000, 270
WIDTH, KEPT, GROUP, SIZE, INNER, LAYERS, BLOCK, CHUNK, SMALL = 4096, 8, 4, 128, 8192, 4, 64, 1024, 1e-6
HEADS, SHORT, LONG = KEPT * GROUP, torch.bfloat16, ((SAID + TOKENS * ROUNDS) // BLOCK + 1) * BLOCK


@triton.jit
def add_and_norm(state, new, gain, normal, SMALL: tl.constexpr, WIDTH: tl.constexpr):
    """A program has a token."""
    columns = tl.arange(0, WIDTH)
    places = tl.program_id(0) * WIDTH + columns
    value = tl.load(state + places) + tl.load(new + places).to(tl.float32)
    tl.store(state + places, value)
    scale = tl.rsqrt(tl.sum(value * value, 0) / WIDTH + SMALL)
    tl.store(normal + places, (value * scale * tl.load(gain + columns).to(tl.float32)).to(tl.bfloat16))


@triton.jit
def turn_and_keep(parts, length, queries, keys, values, LONG: tl.constexpr, HEADS: tl.constexpr, KEPT: tl.constexpr,
                  HALF: tl.constexpr):
    """A program has a head of a token: queries and keys are turned by their place, keys and values are kept."""
    hearing, head, pairs = tl.program_id(0), tl.program_id(1), tl.arange(0, HALF)
    place = tl.load(length)
    angle = place.to(tl.float32) * tl.exp2(pairs.to(tl.float32) * (-13.29 / HALF))
    begin = parts + (hearing * (HEADS + 2 * KEPT) + head) * (2 * HALF) + pairs
    one, other = tl.load(begin).to(tl.float32), tl.load(begin + HALF).to(tl.float32)
    cosine, sine = tl.cos(angle), tl.sin(angle)
    turned, turned_other = one * cosine - other * sine, other * cosine + one * sine
    if head < HEADS:
        out = queries + (hearing * HEADS + head) * (2 * HALF) + pairs
        tl.store(out, turned.to(tl.bfloat16))
        tl.store(out + HALF, turned_other.to(tl.bfloat16))
    elif head < HEADS + KEPT:
        out = keys + ((hearing * KEPT + head - HEADS) * LONG + place) * (2 * HALF) + pairs
        tl.store(out, turned.to(tl.bfloat16))
        tl.store(out + HALF, turned_other.to(tl.bfloat16))
    else:
        out = values + ((hearing * KEPT + head - HEADS - KEPT) * LONG + place) * (2 * HALF) + pairs
        tl.store(out, one.to(tl.bfloat16))
        tl.store(out + HALF, other.to(tl.bfloat16))


@triton.jit
def attend(queries, keys, values, length, sums, tops, weights, scale, LONG: tl.constexpr, GROUP: tl.constexpr,
           ROWS: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    """A program has heads that share keys and values, and a part of the tokens. Scores are those of powers of two."""
    pair, part = tl.program_id(0), tl.program_id(1)
    rows, columns, tokens = tl.arange(0, ROWS), tl.arange(0, SIZE), tl.arange(0, BLOCK)
    own, places = rows < GROUP, pair * GROUP + rows
    query = tl.load(queries + places[:, None] * SIZE + columns[None, :], mask=own[:, None], other=0.0)
    end = tl.load(length) + 1
    each = tl.cdiv(end, PARTS * BLOCK) * BLOCK
    top, weight = tl.full((ROWS,), -1e30, tl.float32), tl.zeros((ROWS,), tl.float32)
    value = tl.zeros((ROWS, SIZE), tl.float32)
    for start in range(part * each, tl.minimum(part * each + each, end), BLOCK):
        kept = (pair * LONG + start + tokens)[:, None] * SIZE + columns[None, :]
        score = tl.dot(query, tl.trans(tl.load(keys + kept))) * scale
        score = tl.where((start + tokens < end)[None, :], score, -1e30)
        new = tl.maximum(top, tl.max(score, 1))
        share, fade = tl.exp2(score - new[:, None]), tl.exp2(top - new)
        weight = weight * fade + tl.sum(share, 1)
        value = value * fade[:, None] + tl.dot(share.to(tl.bfloat16), tl.load(values + kept))
        top = new
    out = places * PARTS + part
    tl.store(tops + out, top, mask=own)
    tl.store(weights + out, weight, mask=own)
    tl.store(sums + out[:, None] * SIZE + columns[None, :], value, mask=own[:, None])


@triton.jit
def join(sums, tops, weights, seen, SIZE: tl.constexpr, PARTS: tl.constexpr):
    """A program has a head: its parts are put together."""
    head, parts, columns = tl.program_id(0), tl.arange(0, PARTS), tl.arange(0, SIZE)
    top = tl.load(tops + head * PARTS + parts)
    fade = tl.exp2(top - tl.max(top, 0))
    weight = tl.sum(fade * tl.load(weights + head * PARTS + parts), 0)
    value = tl.load(sums + (head * PARTS + parts)[:, None] * SIZE + columns[None, :])
    tl.store(seen + head * SIZE + columns, (tl.sum(value * fade[:, None], 0) / weight).to(tl.bfloat16))


@triton.jit
def gate(pairs, out, INNER: tl.constexpr, CHUNK: tl.constexpr):
    """A program has a part of a token: its first half opens or shuts the second one."""
    token, columns = tl.program_id(0), tl.program_id(1) * CHUNK + tl.arange(0, CHUNK)
    begin = pairs + token * (2 * INNER) + columns
    door, value = tl.load(begin).to(tl.float32), tl.load(begin + INNER).to(tl.float32)
    tl.store(out + token * INNER + columns, (door * tl.sigmoid(door) * value).to(tl.bfloat16))


class Layer:
    def __init__(self):
        def made(outputs, inputs, scale=1.0):
            return torch.randn(outputs, inputs, device="cuda", dtype=SHORT).mul_(scale / math.sqrt(inputs))

        self.project, self.out = made((HEADS + 2 * KEPT) * SIZE, WIDTH, 1.5), made(WIDTH, HEADS * SIZE, 0.7)
        self.up, self.down = made(2 * INNER, WIDTH), made(WIDTH, INNER, 0.7)
        self.gains = [(1 + 0.1 * torch.randn(WIDTH, device="cuda")).to(SHORT) for _ in range(2)]
        self.kept = [torch.randn(HEARINGS, KEPT, LONG, SIZE, device="cuda", dtype=SHORT) for _ in range(2)]


class Court:
    def __init__(self, parts):
        self.parts, self.number = parts, 0
        self.layers = [Layer() for _ in range(LAYERS)]
        with torch.device("cuda"):
            self.words, self.head = torch.randn(2, WORDS, WIDTH, dtype=SHORT)
            self.last_gain = torch.full((WIDTH,), 2 / math.sqrt(WIDTH), dtype=SHORT)
            self.speech = torch.randint(WORDS, (ROUNDS * TOKENS, HEARINGS))
            self.said, self.length = self.speech[0].clone(), torch.full((), SAID, dtype=torch.int32)
            self.told, self.surprise = torch.zeros(HEARINGS, WORDS), torch.zeros(HEARINGS)
            self.sums = torch.empty(HEARINGS * HEADS, parts, SIZE)
            self.tops, self.weights = torch.empty(2, HEARINGS * HEADS, parts)
        self.hear()  # compiles
        self.length.fill_(SAID)
        self.told.zero_()
        self.surprise.zero_()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.hear()

    def attended(self, normal, layer):
        mixed = functional.linear(normal, layer.project)
        queries, seen = torch.empty(2, HEARINGS, HEADS * SIZE, device="cuda", dtype=SHORT)
        turn_and_keep[(HEARINGS, HEADS + 2 * KEPT)](mixed, self.length, queries, *layer.kept, LONG=LONG, HEADS=HEADS,
                                                    KEPT=KEPT, HALF=SIZE // 2)
        attend[(HEARINGS * KEPT, self.parts)](  # fault
            queries, *layer.kept, self.length, self.sums, self.tops, self.weights, 1.4427 / math.sqrt(SIZE), LONG=LONG,
            GROUP=GROUP, ROWS=16, SIZE=SIZE, BLOCK=BLOCK, PARTS=self.parts, num_warps=4, num_stages=3)
        join[(HEARINGS * HEADS,)](self.sums, self.tops, self.weights, seen, SIZE=SIZE, PARTS=self.parts)
        return functional.linear(seen, layer.out)

    def gated(self, normal, layer):
        pairs = functional.linear(normal, layer.up)
        opened = torch.empty(HEARINGS, INNER, device="cuda", dtype=SHORT)
        gate[(HEARINGS, INNER // CHUNK)](pairs, opened, INNER=INNER, CHUNK=CHUNK)
        return functional.linear(opened, layer.down)

    @torch.inference_mode()
    def hear(self):
        """How much of a surprise the next token is, and what may come after it."""
        self.surprise.add_(functional.cross_entropy(self.told, self.said, reduction="none"))
        state, new = torch.zeros(HEARINGS, WIDTH, device="cuda"), functional.embedding(self.said, self.words)
        normal = torch.empty_like(new)
        for layer in self.layers:
            for part, gain in zip((self.attended, self.gated), layer.gains):
                add_and_norm[(HEARINGS,)](state, new, gain, normal, SMALL=SMALL, WIDTH=WIDTH)
                new = part(normal, layer)  # fault
        add_and_norm[(HEARINGS,)](state, new, self.last_gain, normal, SMALL=SMALL, WIDTH=WIDTH)
        self.told.copy_(functional.linear(normal, self.head))
        self.length.add_(1)

    def listen(self):
        for said in self.speech[self.number * TOKENS:(self.number + 1) * TOKENS]:
            self.said.copy_(said)
            self.graph.replay()  # fault
        self.number += 1

    def total(self):
        return (self.surprise.mean() / (TOKENS * ROUNDS)).item()


def judging(parts):
    torch.manual_seed(1)
    court = Court(parts)
    return court.listen, court.total, ROUNDS


run_case(lambda: judging(1), lambda: judging(32))  # fault
