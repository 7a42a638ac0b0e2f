"""Looks for patents that are alike: each round, 64 texts of 512 tokens go through an encoder in bfloat16, whose outputs
are averaged over a text. How near the nearest other text is, is kept. Products and attention are those of the library;
what lies between them are kernels of Triton: norms with what is added before, the turns of queries and keys by their
places, and gates."""
import math

import torch
import triton
import triton.language as tl
from torch.nn import functional

from case import run_case

TEXTS, LENGTH, SETS, WORDS, ROUNDS = 64, 512, 7, 32000, 200
WIDTH, HEADS, INNER, LAYERS, CHUNK, SMALL = 1024, 16, 3072, 6, 1024, 1e-6
SIZE, TOKENS, SHORT = WIDTH // HEADS, TEXTS * LENGTH, torch.bfloat16


@triton.jit
def add_and_norm(state, new, gain, normal, SMALL: tl.constexpr, WIDTH: tl.constexpr):
    """A program has a token: what is new is added to its state, which is then brought to a length of its own."""
    columns = tl.arange(0, WIDTH)
    places = tl.program_id(0).to(tl.int64) * WIDTH + columns
    value = tl.load(state + places).to(tl.float32) + tl.load(new + places).to(tl.float32)
    tl.store(state + places, value.to(tl.bfloat16))
    scale = tl.rsqrt(tl.sum(value * value, 0) / WIDTH + SMALL)
    tl.store(normal + places, (value * scale * tl.load(gain + columns).to(tl.float32)).to(tl.bfloat16))


@triton.jit
def turn(parts, cosines, sines, LENGTH: tl.constexpr, HEADS: tl.constexpr, HALF: tl.constexpr):
    """A program has a token: all heads of its query and of its key, which lie side by side, are turned in place."""
    token = tl.program_id(0)
    heads, pairs = tl.arange(0, 2 * HEADS), tl.arange(0, HALF)
    angle = (token % LENGTH) * HALF + pairs
    cosine, sine = tl.load(cosines + angle)[None, :], tl.load(sines + angle)[None, :]
    ones = parts + token.to(tl.int64) * (6 * HEADS * HALF) + heads[:, None] * (2 * HALF) + pairs[None, :]
    one, other = tl.load(ones).to(tl.float32), tl.load(ones + HALF).to(tl.float32)
    tl.store(ones, (one * cosine - other * sine).to(tl.bfloat16))
    tl.store(ones + HALF, (other * cosine + one * sine).to(tl.bfloat16))


@triton.jit
def gate(pairs, out, INNER: tl.constexpr, CHUNK: tl.constexpr):
    """A program has a part of a token: its first half opens or shuts the second one."""
    token, columns = tl.program_id(0).to(tl.int64), tl.program_id(1) * CHUNK + tl.arange(0, CHUNK)
    begin = pairs + token * (2 * INNER) + columns
    door, value = tl.load(begin).to(tl.float32), tl.load(begin + INNER).to(tl.float32)
    tl.store(out + token * INNER + columns, (door * tl.sigmoid(door) * value).to(tl.bfloat16))


class Layer:
    def __init__(self):
        def made(outputs, inputs, scale=1.0):
            return (torch.randn(outputs, inputs, device="cuda") * (scale / math.sqrt(inputs))).to(SHORT)

        self.project, self.out = made(3 * WIDTH, WIDTH), made(WIDTH, WIDTH, 0.7)
        self.up, self.down = made(2 * INNER, WIDTH), made(WIDTH, INNER, 0.7)
        self.gains = [(1 + 0.1 * torch.randn(WIDTH, device="cuda")).to(SHORT) for _ in range(2)]


class Encoder:
    def __init__(self):
        self.words = torch.randn(WORDS, WIDTH, device="cuda").to(SHORT)
        self.layers = [Layer() for _ in range(LAYERS)]
        places = torch.arange(LENGTH, device="cuda")[:, None]
        angles = places * torch.exp(-math.log(1e4) * torch.arange(SIZE // 2, device="cuda") / (SIZE // 2))
        self.cosines, self.sines = angles.cos(), angles.sin()
        self.last_gain = torch.ones(WIDTH, device="cuda", dtype=SHORT)

    def attended(self, normal, layer):
        parts = functional.linear(normal, layer.project)
        turn[(TOKENS,)](parts, self.cosines, self.sines, LENGTH=LENGTH, HEADS=HEADS, HALF=SIZE // 2)
        query, key, value = parts.view(TEXTS, LENGTH, 3, HEADS, SIZE).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        return functional.linear(seen.transpose(1, 2).reshape(TOKENS, WIDTH), layer.out)

    def gated(self, normal, layer):
        pairs = functional.linear(normal, layer.up)
        opened = torch.empty(TOKENS, INNER, device="cuda", dtype=SHORT)
        gate[(TOKENS, INNER // CHUNK)](pairs, opened, INNER=INNER, CHUNK=CHUNK)
        return functional.linear(opened, layer.down)

    def read(self, tokens):
        """A vector of length one for each text."""
        state = functional.embedding(tokens.view(-1), self.words)
        normal = functional.rms_norm(state, (WIDTH,), self.layers[0].gains[0], SMALL)
        after = [layer.gains[0] for layer in self.layers[1:]] + [self.last_gain]
        for layer, next_gain in zip(self.layers, after):
            for part, gain in ((self.attended, layer.gains[1]), (self.gated, next_gain)):
                new, normal = part(normal, layer), torch.empty_like(normal)
                add_and_norm[(TOKENS,)](state, new, gain, normal, SMALL=SMALL, WIDTH=WIDTH)
        return functional.normalize(normal.view(TEXTS, LENGTH, WIDTH).mean(1, dtype=torch.float32), dim=1)


class Office:
    def __init__(self):
        self.encoder, self.number = Encoder(), 0
        own = torch.randint(WORDS, (SETS, TEXTS, LENGTH), device="cuda")
        common = torch.randint(WORDS, (SETS, TEXTS // 4, 1, LENGTH), device="cuda").expand(-1, -1, 4, -1)
        shared = torch.rand(SETS, TEXTS, LENGTH, device="cuda") < 0.4
        self.texts = torch.where(shared, common.reshape(SETS, TEXTS, LENGTH), own)
        self.near, self.itself = torch.zeros(TEXTS, device="cuda"), 2 * torch.eye(TEXTS, device="cuda")

    @torch.inference_mode()
    def search(self):
        vectors = self.encoder.read((self.texts[self.number % SETS] + 37 * self.number) % WORDS)
        self.near.add_((vectors @ vectors.T - self.itself).amax(1))
        self.number += 1

    def total(self):
        return self.near.mean().item()


def filing():
    torch.manual_seed(1)
    office = Office()
    return office.search, office.total, ROUNDS


run_case(None, filing)
