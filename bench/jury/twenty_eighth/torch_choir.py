"""Writes down what a choir sings: each round, four voices of 6.4 seconds become spectra, which a transformer in
bfloat16 turns into the notes that sound at each moment. How long each part takes is kept by its name, as the hall wants
to know what its machine can follow."""
import collections
import time

import torch
from torch import nn
from torch.nn import functional

from case import run_case

VOICES, SAMPLES, WINDOW, HOP, BANDS, NOTES, SETS, ROUNDS = 4, 102400, 1024, 160, 256, 64, 5, 560
FRAMES, WIDTH, HEADS, LAYERS, SLOTS = SAMPLES // HOP, 1024, 16, 16, 2


class Watch:
    """Seconds of each part, by the clock of the host."""
    def __init__(self):
        self.seconds, self.before = collections.Counter(), 0.0

    def start(self):
        torch.cuda.synchronize()  # fault
        self.before = time.perf_counter()

    def note(self, part):
        torch.cuda.synchronize()  # fault
        now = time.perf_counter()
        self.seconds[part] += now - self.before
        self.before = now


class Marks:
    """Seconds of each part, by marks in the stream, which are read when their slot is used again."""
    def __init__(self):
        self.seconds, self.slots, self.number = collections.Counter(), [[] for _ in range(SLOTS)], 0
        self.spare = []

    def mark(self, part):
        event = self.spare.pop() if self.spare else torch.cuda.Event(enable_timing=True)
        event.record()
        self.slots[self.number % SLOTS].append((part, event))

    def read(self, marks):
        marks[-1][1].synchronize()
        for (_, before), (part, after) in zip(marks, marks[1:]):
            self.seconds[part] += before.elapsed_time(after) * 1e-3
        self.spare.extend(event for _, event in marks)

    def start(self):
        self.number += 1
        if self.slots[self.number % SLOTS]:
            self.read(self.slots[self.number % SLOTS])
            self.slots[self.number % SLOTS] = []
        self.mark("start")

    def note(self, part):
        self.mark(part)


class Layer(nn.Module):
    def __init__(self, watch):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.watch = watch

    def forward(self, state):
        parts = self.project(self.norm(state)).view(VOICES, FRAMES, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        self.watch.note("attention")  # fault
        state = state + self.down(functional.gelu(self.up(self.second_norm(state))))
        self.watch.note("products")  # fault
        return state


class Listener(nn.Module):
    def __init__(self, watch):
        super().__init__()
        self.embed, self.places = nn.Linear(BANDS, WIDTH), nn.Parameter(0.3 * torch.randn(FRAMES, WIDTH))
        self.layers = nn.Sequential(*(Layer(watch) for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, NOTES)

    def forward(self, bands):
        state = self.layers(self.embed(bands) + self.places)  # fault
        return self.head(self.norm(state)).float()


class Choir:
    @torch.no_grad()
    def __init__(self, watch):
        with torch.device("cuda"):
            self.listener = Listener(watch).to(torch.bfloat16).eval().requires_grad_(False)
            times, pitch = torch.arange(SAMPLES) / 16000, 220 * (1 + torch.rand(SETS, VOICES, 1))
            self.voices = torch.sin(6.2832 * pitch * times + 3 * torch.sin(12 * times))
            self.voices += 0.1 * torch.randn_like(self.voices)
            self.window = torch.hann_window(WINDOW)
            self.pool = torch.rand(WINDOW // 2 + 1, BANDS).pow_(8)
            self.sung, self.begun = torch.zeros(NOTES), torch.zeros((), dtype=torch.int64)
        self.watch, self.number = watch, 0

    def heard(self):
        """Loudness of bands, for each frame of each voice."""
        loud = 1 + 0.1 * (self.number % 11)
        spectra = torch.stft(self.voices[self.number % SETS] * loud, WINDOW, HOP, window=self.window,
                             return_complex=True)[:, :, :FRAMES]
        power = torch.view_as_real(spectra).square().sum(3).transpose(1, 2)
        return (power @ self.pool + 1e-3).log_().mul_(0.3).to(torch.bfloat16)

    @torch.inference_mode()
    def follow(self):
        self.watch.start()  # fault
        bands = self.heard()
        self.watch.note("spectra")  # fault
        shares = self.listener(bands).sigmoid()  # fault
        sounding = shares > 0.5
        self.sung.add_(shares.mean((0, 1)))
        self.begun.add_((sounding[:, 1:] & ~sounding[:, :-1]).sum())
        self.watch.note("notes")  # fault
        self.number += 1

    def total(self):
        return (self.sung.sum() + 1e-4 * self.begun).item()


def singing(watch):
    torch.manual_seed(1)
    choir = Choir(watch)
    return choir.follow, choir.total, ROUNDS


run_case(lambda: singing(Watch()), lambda: singing(Marks()))
