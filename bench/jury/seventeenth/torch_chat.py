"""Answers 16 chats at once with a language model of 6 layers in bfloat16: each round decodes one word of every chat after 6016
words that came before; after 128 words the next 16 chats begin.

At fault: the keys and values that are kept grow by torch.cat, so each layer copies all of them to new memory for each word,
though only one position is new; allocate them once for the longest chat and write the new position in place.
The pattern is that of RVC-Boss/GPT-SoVITS, pull request 2836 (a static cache instead of torch.cat in each step), and
huggingface/transformers, pull request 24115, an experiment with a buffer for past keys and values."""
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from case import run_case

CHATS, PAST, ANSWER, WORDS, LAYERS, HEADS, SHARED, SIZE, ROUNDS = 16, 6016, 128, 32000, 6, 16, 8, 128, 1664
WIDTH, LONGEST = HEADS * SIZE, PAST + ANSWER


class GrowingCache:
    def __init__(self, past):
        self.past = past
        self.restart()

    def restart(self):
        self.kept = list(self.past)

    def add(self, layer, key, value):
        keys, values = self.kept[layer]
        self.kept[layer] = torch.cat((keys, key), 2), torch.cat((values, value), 2)  # fault
        return self.kept[layer]

    def advance(self):
        pass


class StaticCache:
    def __init__(self, past):
        self.kept = [[part.new_empty(CHATS, SHARED, LONGEST, SIZE) for part in pair] for pair in past]
        for pair, old in zip(self.kept, past):
            for kept, part in zip(pair, old):
                kept[:, :, :PAST] = part
        self.restart()

    def restart(self):
        self.filled = PAST

    def add(self, layer, key, value):
        for kept, new in zip(self.kept[layer], (key, value)):
            kept[:, :, self.filled:self.filled + 1] = new
        return [kept[:, :, :self.filled + 1] for kept in self.kept[layer]]

    def advance(self):
        self.filled += 1


class Layer(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.number, self.norm, self.second_norm = number, nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, (HEADS + 2 * SHARED) * SIZE), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state, cache):
        heads = self.project(self.norm(state)).view(CHATS, HEADS + 2 * SHARED, 1, SIZE)
        query, key, value = heads.split((HEADS, SHARED, SHARED), 1)
        keys, values = cache.add(self.number, key, value)  # fault
        seen = nn.functional.scaled_dot_product_attention(query, keys, values, enable_gqa=True)
        state = state + self.out(seen.reshape(CHATS, WIDTH))
        return state + self.down(nn.functional.gelu(self.up(self.second_norm(state))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LONGEST, WIDTH)
        self.layers = nn.ModuleList(Layer(number) for number in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, words, place, cache):
        state = self.words(words) + self.places.weight[place]
        for layer in self.layers:
            state = layer(state, cache)
        cache.advance()
        return self.head(self.norm(state))


def made_model():
    with torch.device("cuda"):
        return Model().to(torch.bfloat16).eval()


def made_past():
    """The keys and values of what was said before."""
    return [[torch.randn(CHATS, SHARED, PAST, SIZE, device="cuda", dtype=torch.bfloat16) for _ in range(2)]
            for _ in range(LAYERS)]


def chatting(made_cache):
    torch.manual_seed(1)
    model, cache = made_model(), made_cache(made_past())
    first, surest = torch.randint(WORDS, (CHATS,), device="cuda"), torch.zeros((), device="cuda")
    state = [first, 0]

    @torch.no_grad()
    def one_round():
        place = state[1] % ANSWER
        if place == 0:
            cache.restart()
            state[0] = first
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            scores, state[0] = model(state[0], PAST + place, cache).max(-1)
        surest.add_(scores.float().mean())
        state[1] += 1

    return one_round, lambda: surest.item(), ROUNDS


run_case(lambda: chatting(GrowingCache), lambda: chatting(StaticCache))
