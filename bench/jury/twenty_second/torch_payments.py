"""Serves a bank that stops fraud: each round scores the newest payments of 256 customers, of which a transformer of 8
layers reads the last 16 payments, of 24 numbers each. Payments come in and scores go out by pinned memory, and the host
reads the scores of a round three rounds later. How long each part of the network takes is kept for the bank's board."""
import collections
import contextlib
import time

import torch
from torch import nn
from torch.nn import functional

from case import run_case

CUSTOMERS, PAYMENTS, NUMBERS, SLOTS, ROUNDS = 256, 16, 24, 3, 900
WIDTH, HEADS, LAYERS = 1024, 16, 8


class HostClock:
    """Seconds of each part, by the host's clock."""
    def __init__(self):
        self.seconds = collections.Counter()

    @contextlib.contextmanager
    def part(self, name):
        torch.cuda.synchronize()  # fault
        began = time.perf_counter()
        yield
        torch.cuda.synchronize()  # fault
        self.seconds[name] += time.perf_counter() - began


class EventClock:
    """Seconds of each part, by events that are read once they have happened."""
    def __init__(self):
        self.seconds, self.open = collections.Counter(), collections.deque()

    @contextlib.contextmanager
    def part(self, name):
        began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        began.record()
        yield
        ended.record()
        self.open.append((name, began, ended))
        while self.open and self.open[0][2].query():
            done, first, last = self.open.popleft()
            self.seconds[done] += first.elapsed_time(last) / 1000


class Layer(nn.Module):
    def __init__(self, clock):
        super().__init__()
        self.clock = clock
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def attend(self, state):
        parts = self.project(self.norm(state)).view(CUSTOMERS, PAYMENTS, 3, HEADS, WIDTH // HEADS)
        seen = functional.scaled_dot_product_attention(*parts.permute(2, 0, 3, 1, 4))
        return state + self.out(seen.transpose(1, 2).flatten(2))

    def forward(self, state):
        with self.clock.part("attention"):  # fault
            state = self.attend(state)
        with self.clock.part("mixing"):  # fault
            return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Scorer(nn.Module):
    def __init__(self, clock):
        super().__init__()
        self.clock = clock
        self.start, self.places = nn.Linear(NUMBERS, WIDTH), nn.Parameter(torch.randn(PAYMENTS, WIDTH))
        self.layers = nn.Sequential(*(Layer(clock) for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1)

    def forward(self, payments):
        with self.clock.part("start"):  # fault
            state = self.start(payments) + self.places
        state = self.layers(state)  # fault
        with self.clock.part("score"):  # fault
            return self.head(self.norm(state[:, -1])).float().sigmoid()


class Slot:
    """A round's payments and scores, and whether the host can read these."""
    def __init__(self):
        self.asked = torch.randn(CUSTOMERS, PAYMENTS, NUMBERS).to(torch.bfloat16).pin_memory()
        self.payments = torch.empty(CUSTOMERS, PAYMENTS, NUMBERS, dtype=torch.bfloat16, device="cuda")
        self.told, self.ready = torch.empty(CUSTOMERS, 1, pin_memory=True), torch.cuda.Event()


class Server:
    def __init__(self, clock):
        with torch.device("cuda"):
            self.scorer = Scorer(clock).to(torch.bfloat16).eval()
        self.slots = [Slot() for _ in range(SLOTS)]
        self.number, self.sum = 0, 0.0

    def read(self, slot):
        slot.ready.synchronize()
        self.sum += slot.told.sum().item()

    @torch.inference_mode()
    def answer(self):
        slot = self.slots[self.number % SLOTS]
        if self.number >= SLOTS:
            self.read(slot)
        slot.payments.copy_(slot.asked, non_blocking=True)
        slot.told.copy_(self.scorer(slot.payments), non_blocking=True)  # fault
        slot.ready.record()
        self.number += 1

    def finish(self):
        for number in range(max(self.number - SLOTS, 0), self.number):
            self.read(self.slots[number % SLOTS])
        return self.sum


def paying(clock):
    torch.manual_seed(1)
    server = Server(clock())
    return server.answer, server.finish, ROUNDS


run_case(lambda: paying(HostClock), lambda: paying(EventClock))
