"""Reads 128 lines of old manuscripts at once, as a scanner moves along them: each round, a transformer of 6 layers in
bfloat16 reads the next eight strips of each line, one after the other, together with the letter that it read before,
and looks back at the last 1024 strips. Four queries share a key; keys and values are written over the oldest ones.

A round's strips are recorded once as a CUDA graph, which finds by itself where it is; letters go to pinned memory, and
the host reads them three rounds later."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

LINES, HIGH, LETTERS, WIDTH, HEADS, GROUPS, LAYERS, WINDOW, STEPS = 128, 64, 256, 1024, 16, 4, 6, 1024, 8
SIZE, LENGTH, SLOTS, ROUNDS = WIDTH // HEADS, 4096, 3, 650
PARTS = (WIDTH, GROUPS * SIZE, GROUPS * SIZE)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, sum(PARTS)), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.randn(LINES, GROUPS, WINDOW, SIZE))

    def forward(self, state, place):
        queries, keys, values = self.project(self.norm(state)).split(PARTS, 1)
        self.keys.index_copy_(2, place, keys.view(LINES, GROUPS, 1, SIZE))
        self.values.index_copy_(2, place, values.view(LINES, GROUPS, 1, SIZE))
        queries = queries.view(LINES, GROUPS, HEADS // GROUPS, SIZE)
        seen = functional.scaled_dot_product_attention(queries, self.keys, self.values)
        state = state + self.out(seen.reshape(LINES, WIDTH))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.letters = nn.Linear(HIGH, WIDTH), nn.Embedding(LETTERS, WIDTH)
        self.places = nn.Parameter(torch.randn(WINDOW, WIDTH))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, LETTERS)

    def forward(self, strip, before, place):
        state = self.start(strip) + self.letters(before) + self.places.index_select(0, place)
        for layer in self.layers:
            state = layer(state, place)
        return self.head(self.norm(state)).float()


class Desk:
    def __init__(self):
        torch.set_default_dtype(torch.bfloat16)
        with torch.device("cuda"):
            self.reader, self.strips = Reader().eval(), torch.randn(LENGTH, LINES, HIGH)
        torch.set_default_dtype(torch.float32)
        with torch.device("cuda"):
            self.number, self.sure = torch.zeros(1, dtype=torch.int64), torch.zeros(())
            self.before, self.read = torch.zeros(LINES, dtype=torch.int64), torch.zeros(STEPS, LINES, dtype=torch.int64)
        self.told = [torch.empty(STEPS, LINES, dtype=torch.int64, pin_memory=True) for _ in range(SLOTS)]
        self.ready = [torch.cuda.Event() for _ in range(SLOTS)]
        self.graph, self.rounds, self.letters = self.recorded(), 0, torch.zeros(LETTERS, dtype=torch.int64)

    def step(self, letters):
        strip = self.strips.index_select(0, self.number.remainder(LENGTH)).squeeze(0)
        told = self.reader(strip, self.before, self.number.remainder(WINDOW)).log_softmax(1)
        sure, letter = told.max(1)
        letters.copy_(letter)
        self.before.copy_(letter)
        self.sure.add_(sure.mean())
        self.number.add_(1)

    def steps(self):
        for letters in self.read:
            self.step(letters)

    @torch.inference_mode()
    def recorded(self):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.steps()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.steps()
        self.sure.zero_()
        return graph

    def count(self, slot):
        self.ready[slot].synchronize()
        self.letters += torch.bincount(self.told[slot].view(-1), minlength=LETTERS)

    def scan(self):
        slot = self.rounds % SLOTS
        if self.rounds >= SLOTS:
            self.count(slot)
        self.graph.replay()
        self.told[slot].copy_(self.read, non_blocking=True)
        self.ready[slot].record()
        self.rounds += 1

    def finish(self):
        """How sure the reader is of a letter, in the mean."""
        for number in range(max(self.rounds - SLOTS, 0), self.rounds):
            self.count(number % SLOTS)
        return self.sure.item() * LINES / self.letters.sum().item()


def writing():
    torch.manual_seed(1)
    desk = Desk()
    return desk.scan, desk.finish, ROUNDS


run_case(None, writing)
