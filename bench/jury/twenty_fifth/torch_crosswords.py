"""Writes clues for crosswords: each round, a transformer writes 256 clues of 32 words each, word by word, every one of
which begins with the topic of its crossword. Keys and values of the words so far are kept on the GPU, and each word is
drawn by what the network thinks of it and by chance. Clues go out by pinned memory; the host reads them two rounds
later and counts the words."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from case import run_case

CLUES, WORDS, VOCABULARY, TOPICS, SLOTS, SETS = 256, 32, 8192, 500, 2, 16
WIDTH, HEADS, LAYERS, ROUNDS = 1024, 16, 6, 115
SIZE = WIDTH // HEADS


class Layer(nn.Module):
    """Remembers keys and values of all words of the clues."""
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.register_buffer("keys", torch.zeros(CLUES, HEADS, WORDS, SIZE))
        self.register_buffer("values", torch.zeros(CLUES, HEADS, WORDS, SIZE))

    def forward(self, state, place, mask):
        parts = self.project(self.norm(state)).view(CLUES, 3, HEADS, 1, SIZE)  # fault
        query, key, value = parts.unbind(1)
        self.keys.index_copy_(2, place, key)  # fault
        self.values.index_copy_(2, place, value)  # fault
        seen = functional.scaled_dot_product_attention(query, self.keys, self.values, attn_mask=mask)  # fault
        state = state + self.out(seen.flatten(1))  # fault
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))  # fault


class Author(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Parameter(0.3 * torch.randn(WORDS, WIDTH))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)
        self.register_buffer("masks", torch.full((WORDS, WORDS), float("-inf")).triu(1))

    def forward(self, word, place):
        """Scores of the next word of each clue."""
        state, mask = self.words(word) + self.places[place], self.masks[place]  # fault
        for layer in self.layers:
            state = layer(state, place, mask)  # fault
        return self.head(self.norm(state)).float()  # fault


class Slot:
    def __init__(self):
        self.clues, self.ready = torch.zeros(CLUES, WORDS, dtype=torch.int64).pin_memory(), torch.cuda.Event()


def as_written(step):
    return step


def recorded(step):
    """The same step, put into a graph."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


class Desk:
    def __init__(self, prepare):
        with torch.device("cuda"):
            self.author = Author().to(torch.bfloat16).eval().requires_grad_(False)
            self.topics = torch.randint(TOPICS, (SETS, CLUES))
            self.word, self.place = torch.zeros(CLUES, dtype=torch.int64), torch.zeros(1, dtype=torch.int64)
            self.clues = torch.zeros(CLUES, WORDS, dtype=torch.int64)
            self.chance, self.order = torch.zeros(WORDS + CLUES, VOCABULARY), torch.arange(CLUES)
            self.likely = torch.zeros((), dtype=torch.float64)
        self.slots, self.number = [Slot() for _ in range(SLOTS)], 0
        self.used = np.zeros(VOCABULARY, np.int64)
        self.next_word = prepare(self.step)
        self.likely.zero_()

    @torch.inference_mode()
    def step(self):
        scores = self.author(self.word, self.place)  # fault
        drawn = (scores + self.chance[self.place + self.order]).argmax(1, keepdim=True)  # fault
        self.likely.add_((scores.gather(1, drawn).squeeze(1) - scores.logsumexp(1)).mean())  # fault
        self.clues.index_copy_(1, self.place, drawn)  # fault
        self.word.copy_(drawn.squeeze(1))  # fault
        self.place.add_(1)  # fault

    def read(self, slot):
        slot.ready.synchronize()
        self.used += np.bincount(slot.clues.numpy().ravel(), minlength=VOCABULARY)

    @torch.inference_mode()
    def write(self):
        slot = self.slots[self.number % SLOTS]
        if self.number >= SLOTS:
            self.read(slot)
        self.word.copy_(self.topics[self.number % SETS])
        self.place.zero_()
        self.chance.exponential_().log_().neg_()
        for _ in range(WORDS):
            self.next_word()  # fault
        slot.clues.copy_(self.clues, non_blocking=True)
        slot.ready.record()
        self.number += 1

    def close(self):
        for number in range(max(self.number - SLOTS, 0), self.number):
            self.read(self.slots[number % SLOTS])
        return self.likely.item()


def writing(prepare):
    torch.manual_seed(1)
    desk = Desk(prepare)
    return desk.write, desk.close, ROUNDS


run_case(lambda: writing(as_written), lambda: writing(recorded))
