"""Reads 8 long prompts of 2048 words with a language model like Llama of 8 layers in bfloat16: each round goes through the layers
and scores the word that comes next.

Nothing is wrong: a kernel adds what a layer found to the state and normalises the sum in one pass, another one turns queries and
keys in place, and a third one joins gate and values; products, attention and the weights are in bfloat16.
The pattern is that of linkedin/Liger-Kernel, pull request 812 (sum and norm in one kernel, 2 to 4 times as fast), and
vllm-project/vllm, pull request 1667, where the fused sum and norm made Llama 10 % faster."""
import torch
import triton
import triton.language as tl

from case import run_case

PROMPTS, LENGTH, WORDS, LAYERS, HEADS, SHARED, SIZE, INNER, SETS, ROUNDS = 8, 2048, 32000, 8, 16, 8, 128, 5632, 8, 160
WIDTH, TOKENS = HEADS * SIZE, PROMPTS * LENGTH


@triton.jit
def add_and_normalise(state, found, weights, normal, WIDTH: tl.constexpr):
    places = tl.arange(0, WIDTH)
    row = tl.program_id(0).to(tl.int64) * WIDTH + places
    total = tl.load(state + row).to(tl.float32) + tl.load(found + row).to(tl.float32)
    tl.store(state + row, total.to(tl.bfloat16))
    scale = 1 / tl.sqrt(tl.sum(total * total, 0) / WIDTH + 1e-5)
    tl.store(normal + row, (total * scale * tl.load(weights + places).to(tl.float32)).to(tl.bfloat16))


@triton.jit
def turn(heads, cosines, sines, LENGTH: tl.constexpr, ALL: tl.constexpr, TURNED: tl.constexpr, HALF: tl.constexpr,
         BLOCK: tl.constexpr):
    token, numbers, places = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)[:, None], tl.arange(0, HALF)[None, :]
    inside = numbers < TURNED
    first = heads + (token * ALL + numbers) * (2 * HALF) + places
    cosine = tl.load(cosines + token % LENGTH * HALF + places)
    sine = tl.load(sines + token % LENGTH * HALF + places)
    one = tl.load(first, mask=inside, other=0).to(tl.float32)
    other = tl.load(first + HALF, mask=inside, other=0).to(tl.float32)
    tl.store(first, (one * cosine - other * sine).to(tl.bfloat16), mask=inside)
    tl.store(first + HALF, (other * cosine + one * sine).to(tl.bfloat16), mask=inside)


@triton.jit
def join_gate(both, joined, INNER: tl.constexpr, BLOCK: tl.constexpr):
    token, places = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = places < INNER
    gate = tl.load(both + token * 2 * INNER + places, mask=inside, other=0).to(tl.float32)
    value = tl.load(both + token * 2 * INNER + INNER + places, mask=inside, other=0).to(tl.float32)
    tl.store(joined + token * INNER + places, (gate * tl.sigmoid(gate) * value).to(tl.bfloat16), mask=inside)


def normalise(state, found, weights, normal):
    """Adds to the state, too."""
    add_and_normalise[(TOKENS,)](state, found, weights, normal, WIDTH=WIDTH, num_warps=8)
    return normal


def made_weights(after, before):
    return torch.randn(after, before, device="cuda", dtype=torch.bfloat16).mul_(before ** -0.5)


class Layer:
    def __init__(self):
        self.project, self.out = made_weights((HEADS + 2 * SHARED) * SIZE, WIDTH), made_weights(WIDTH, WIDTH)
        self.up, self.down = made_weights(2 * INNER, WIDTH), made_weights(WIDTH, INNER)
        self.norms = torch.ones(2, WIDTH, device="cuda", dtype=torch.bfloat16)

    def attend(self, normal, tables):
        heads = normal @ self.project.T
        turn[(TOKENS,)](heads, *tables, LENGTH=LENGTH, ALL=HEADS + 2 * SHARED, TURNED=HEADS + SHARED, HALF=SIZE // 2,
                        BLOCK=triton.next_power_of_2(HEADS + SHARED), num_warps=4)
        parts = heads.view(PROMPTS, LENGTH, HEADS + 2 * SHARED, SIZE).transpose(1, 2).split((HEADS, SHARED, SHARED), 1)
        seen = torch.nn.functional.scaled_dot_product_attention(*parts, is_causal=True, enable_gqa=True)
        return seen.transpose(1, 2).reshape(TOKENS, WIDTH) @ self.out.T

    def think(self, normal):
        both = normal @ self.up.T
        joined = both.new_empty(TOKENS, INNER)
        join_gate[(TOKENS, triton.cdiv(INNER, 2048))](both, joined, INNER=INNER, BLOCK=2048, num_warps=8)
        return joined @ self.down.T


class Model:
    def __init__(self):
        self.words, self.head = made_weights(WORDS, WIDTH), made_weights(WORDS, WIDTH)
        self.layers, self.norm = [Layer() for _ in range(LAYERS)], torch.ones(WIDTH, device="cuda", dtype=torch.bfloat16)
        rates = 10000 ** (-torch.arange(SIZE // 2, device="cuda") / (SIZE // 2))
        angles = torch.arange(LENGTH, device="cuda")[:, None] * rates
        self.tables = angles.cos(), angles.sin()
        self.nothing = torch.zeros(TOKENS, WIDTH, device="cuda", dtype=torch.bfloat16)

    def scores(self, words):
        state, found = self.words.index_select(0, words.flatten()), self.nothing
        normal = torch.empty_like(state)
        for layer in self.layers:
            found = layer.attend(normalise(state, found, layer.norms[0], normal), self.tables)
            found = layer.think(normalise(state, found, layer.norms[1], normal))
        last = (state + found).view(PROMPTS, LENGTH, WIDTH)[:, -1]
        return torch.nn.functional.rms_norm(last, (WIDTH,), self.norm) @ self.head.T


def reading():
    torch.manual_seed(1)
    model, words = Model(), torch.randint(WORDS, (SETS, PROMPTS, LENGTH), device="cuda")
    highest, number = torch.zeros((), device="cuda"), [0]

    @torch.no_grad()
    def one_round():
        highest.add_(model.scores(words[number[0] % SETS]).float().amax(1).mean())
        number[0] += 1

    return one_round, lambda: highest.item(), ROUNDS


run_case(None, reading)
