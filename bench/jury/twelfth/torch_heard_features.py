"""Features of speech for a recogniser: 64 recordings of 30 s come from the host, become mel spectra, and go through layers.

Nothing is wrong: the samples come as two bytes from pinned memory in a stream of their own beside the layers, window and
filters are made once and stay on the device, and nothing waits for the host.
The pattern is that of SYSTRAN/faster-whisper, pull request 1038: window and filters made once."""
import math

import torch
from torch import nn

from case import run_case

RECORDINGS, SAMPLES, HOP, POINTS, MELS, WIDTH, LAYERS, BUFFERS, ROUNDS = 64, 480000, 160, 400, 80, 1024, 5, 8, 700
RATE, LEAST, LOUDER = 16000, 1e-5, 3


def made_filters():
    """Triangles over frequencies, a row each; their corners lie on the scale of mels."""
    corners = 700 * (10 ** (torch.linspace(0, 2595 * math.log10(1 + RATE / 1400), MELS + 2) / 2595) - 1)
    frequencies = torch.linspace(0, RATE / 2, POINTS // 2 + 1)
    left, middle, right = (corners[first:first + MELS, None] for first in range(3))
    rising, falling = (frequencies - left) / (middle - left), (right - frequencies) / (right - middle)
    return torch.minimum(rising, falling).clamp_min(0)


class Ear(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(POINTS))
        self.register_buffer("filters", made_filters())
        sizes = [MELS] + LAYERS * [WIDTH]
        self.layers = nn.Sequential(*(layer for before, after in zip(sizes, sizes[1:]) for layer in (
            nn.Linear(before, after, dtype=torch.bfloat16), nn.ReLU(inplace=True))))

    def forward(self, samples):
        spectra = torch.stft(samples.to(torch.float32), POINTS, HOP, window=self.window, center=False, return_complex=True)
        mels = torch.matmul(self.filters, spectra.abs()).clamp_(min=LEAST).log_()
        return self.layers(mels.transpose(1, 2).to(torch.bfloat16))


class Recordings:
    """Hands out recordings in turn; a part of each is louder than when it was last copied. Two slots on the device."""
    def __init__(self):
        self.stored = [torch.randint(-1000, 1000, (RECORDINGS, SAMPLES), dtype=torch.int16).pin_memory()
                       for _ in range(BUFFERS)]
        self.copied = [torch.cuda.Event() for _ in self.stored]
        self.slots = [torch.empty(RECORDINGS, SAMPLES, device="cuda", dtype=torch.int16) for _ in range(2)]
        self.full, self.free = ([torch.cuda.Event() for _ in self.slots] for _ in range(2))
        self.side, self.main, self.number = torch.cuda.Stream(), torch.cuda.current_stream(), 0
        self.side.wait_stream(self.main)
        self.fetch(0)

    def fetch(self, wanted):
        own, slot = wanted % BUFFERS, wanted % 2
        self.copied[own].synchronize()
        self.stored[own][wanted % RECORDINGS].add_(LOUDER)
        with torch.cuda.stream(self.side):
            self.side.wait_event(self.free[slot])
            self.slots[slot].copy_(self.stored[own], non_blocking=True)
            self.full[slot].record(self.side)
            self.copied[own].record(self.side)

    def take(self):
        slot = self.number % 2
        self.fetch(self.number + 1)
        self.main.wait_event(self.full[slot])
        return self.slots[slot]

    def give_back(self):
        self.free[self.number % 2].record(self.main)
        self.number += 1


def hearing():
    torch.manual_seed(1)
    ear, recordings, kept = Ear().to("cuda"), Recordings(), [None]

    @torch.no_grad()
    def one_round():
        kept[0] = ear(recordings.take())
        recordings.give_back()

    return one_round, lambda: kept[0].double().abs().sum().item(), ROUNDS


run_case(None, hearing)
