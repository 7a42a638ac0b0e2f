"""Serves a lost property office: each round, a transformer reads the 16 newest reports of people who have lost
something, 32 words each, and tells in which of 800 drawers to look.

The network is kept as it was trained and is not trained further. Reports come from pinned memory, drawers go to pinned
memory, and the host reads them three rounds later."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

REPORTS, WORDS, VOCABULARY, DRAWERS, SETS, SLOTS = 16, 32, 32768, 800, 16, 3
WIDTH, HEADS, LAYERS, ROUNDS = 4096, 32, 3, 1000


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state))  # fault
        query, key, value = parts.view(REPORTS, WORDS, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
        state = state + self.out(seen)  # fault
        inner = functional.gelu(self.up(self.second_norm(state)))  # fault
        return state + self.down(inner)  # fault


class Clerk(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Parameter(0.1 * torch.randn(WORDS, WIDTH))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, DRAWERS)

    def forward(self, words):
        """How sure the clerk is of each report, and the drawer."""
        state = self.words(words) + self.places
        for layer in self.layers:
            state = layer(state)  # fault
        return self.head(self.norm(state).mean(1)).float().softmax(1).max(1)  # fault


def as_trained(clerk):
    return clerk


def with_short_weights(clerk):
    """Products have their weights in bfloat16; everything else stays as it was trained."""
    for part in clerk.modules():
        if isinstance(part, nn.Linear):
            part.to(torch.bfloat16)
    return clerk


class Slot:
    """What is told to a round's people, and whether the host can read it."""
    def __init__(self):
        self.sure = torch.zeros(REPORTS).pin_memory()
        self.drawer = torch.zeros(REPORTS, dtype=torch.int64).pin_memory()
        self.ready = torch.cuda.Event()


class Office:
    def __init__(self, prepare):
        self.reports = torch.randint(VOCABULARY, (SETS, REPORTS, WORDS)).pin_memory()
        with torch.device("cuda"):
            clerk = Clerk()
        self.clerk = prepare(clerk.eval().requires_grad_(False))
        self.slots, self.number, self.sure = [Slot() for _ in range(SLOTS)], 0, 0.0
        self.asked = torch.zeros(DRAWERS, dtype=torch.int64)

    def read(self, slot):
        slot.ready.synchronize()
        self.sure += slot.sure.sum().item()
        self.asked += torch.bincount(slot.drawer, minlength=DRAWERS)

    @torch.inference_mode()
    def serve(self):
        slot = self.slots[self.number % SLOTS]
        if self.number >= SLOTS:
            self.read(slot)
        words = self.reports[self.number % SETS].to("cuda", non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            sure, drawer = self.clerk(words)  # fault
        slot.sure.copy_(sure, non_blocking=True)
        slot.drawer.copy_(drawer, non_blocking=True)
        slot.ready.record()
        self.number += 1

    def close(self):
        for number in range(max(self.number - SLOTS, 0), self.number):
            self.read(self.slots[number % SLOTS])
        return self.sure


def seeking(prepare):
    torch.manual_seed(1)
    office = Office(prepare)
    return office.serve, office.close, ROUNDS


run_case(lambda: seeking(as_trained), lambda: seeking(with_short_weights))
