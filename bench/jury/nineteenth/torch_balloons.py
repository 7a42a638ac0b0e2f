"""Tells where balloons of the weather service will drift: each round a transformer of 12 layers reads the last 128
places of 80 balloons and tells the next 128. A stopwatch keeps the time that each part of each layer takes, which is
logged at the end.

At fault: the stopwatch waits for the GPU before it starts and before it stops, 48 times a round, and nothing is read
from the GPU after that, so the GPU idles each time until the host has launched again; let the GPU note the times by
events, and read these at the end.
The pattern is that of HuguesTHOMAS/KPConv-PyTorch, issue 22 (waits that were there for the times of parts, training is
25 % slower with them), and meta-pytorch/tnt, pull request 1029: a timer that no longer waits unless it is asked to."""
import collections
import contextlib
import logging
import time

import torch
from torch import nn
from torch.nn import functional

from case import run_case

BALLOONS, PLACES, NUMBERS, WIDTH, HEADS, LAYERS, SETS, ROUNDS = 80, 128, 6, 256, 8, 12, 8, 900

torch.set_float32_matmul_precision("high")


class HostStopwatch:
    def __init__(self):
        self.seconds = collections.Counter()

    @contextlib.contextmanager
    def part(self, name):
        torch.cuda.synchronize()  # fault
        began = time.perf_counter()
        yield
        torch.cuda.synchronize()  # fault
        self.seconds[name] += time.perf_counter() - began

    def read(self):
        return dict(self.seconds)


class DeviceStopwatch:
    def __init__(self):
        self.events = collections.defaultdict(list)

    @contextlib.contextmanager
    def part(self, name):
        began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        began.record()
        yield
        ended.record()
        self.events[name].append((began, ended))

    def read(self):
        torch.cuda.synchronize()
        return {name: sum(began.elapsed_time(ended) for began, ended in pairs) / 1000
                for name, pairs in self.events.items()}


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.project, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(BALLOONS, PLACES, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*parts)
        return self.out(seen.transpose(1, 2).reshape(BALLOONS, PLACES, WIDTH)).add_(state)


class Thought(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        return self.down(functional.gelu(self.up(self.norm(state)))).add_(state)


class Timed(nn.Module):
    def __init__(self, name, inner, stopwatch):
        super().__init__()
        self.name, self.inner, self.stopwatch = name, inner, stopwatch

    def forward(self, state):
        with self.stopwatch.part(self.name):  # fault
            return self.inner(state)


class Forecaster(nn.Module):
    def __init__(self, stopwatch):
        super().__init__()
        self.start, self.places = nn.Linear(NUMBERS, WIDTH), nn.Parameter(torch.randn(PLACES, WIDTH))
        self.layers = nn.Sequential()
        for number in range(LAYERS):
            for name, kind in (("attention", Attention), ("thought", Thought)):
                self.layers.append(Timed(f"{name} {number}", kind(), stopwatch))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, NUMBERS)

    def forward(self, tracks):
        return tracks + self.head(self.norm(self.layers(self.start(tracks) + self.places)))


def drifting(stopwatch):
    torch.manual_seed(1)
    with torch.device("cuda"):
        forecaster = Forecaster(stopwatch).eval()
        tracks, far, number = torch.randn(SETS, BALLOONS, PLACES, NUMBERS).cumsum(2), torch.zeros(()), [0]

    @torch.inference_mode()
    def one_round():
        ahead = forecaster(tracks[number[0] % SETS])
        far.add_(ahead[..., :2].square().mean())
        number[0] += 1

    def total():
        for name, seconds in stopwatch.read().items():
            logging.debug("%s: %.3f s", name, seconds)
        return far.item()

    return one_round, total, ROUNDS


run_case(lambda: drifting(HostStopwatch()), lambda: drifting(DeviceStopwatch()))
