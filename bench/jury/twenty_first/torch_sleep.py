"""Learns the five stages of sleep: each round a transformer of 6 layers is trained in mixed precision on 256 stretches
of 30 seconds of a night, of twelve channels at 256 readings a second, which lie in the host's memory as they were
filtered. The stretches of the round after the next are copied by a stream of their own."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from case import run_case

BATCH, SECONDS, CHANNELS, READINGS, STAGES, SLOTS, SETS = 256, 30, 12, 256, 5, 2, 5
POINTS, WIDTH, HEADS, LAYERS, RATE, ROUNDS = CHANNELS * READINGS, 1024, 16, 6, 1e-5, 180


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(BATCH, SECONDS, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*parts)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Stager(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.places = nn.Linear(POINTS, WIDTH), nn.Parameter(torch.randn(SECONDS, WIDTH) * 0.02)
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, STAGES)

    def forward(self, seconds):
        state = self.layers(self.start(seconds) + self.places)
        return self.head(self.norm(state).mean(1))


class Nights:
    """Shuffled stretches, second by second, as they were read from disk, and the stages that experts saw."""
    def __init__(self):
        random = np.random.default_rng(1)
        self.readings = random.standard_normal((SETS * BATCH, SECONDS, POINTS), dtype=np.float32)
        self.stages = random.integers(STAGES, size=SETS * BATCH)

    def plain(self):
        return torch.from_numpy(self.readings), torch.from_numpy(self.stages)

    def pinned(self):
        return tuple(part.pin_memory() for part in self.plain())


class Feeder:
    """Keeps two rounds' stretches on the GPU: those that are used, and those that are copied meanwhile."""
    def __init__(self, readings, stages):
        self.batches = list(zip(readings.split(BATCH), stages.split(BATCH)))
        self.there = [tuple(torch.empty_like(part, device="cuda") for part in self.batches[0]) for _ in range(SLOTS)]
        self.copied, self.used = ([torch.cuda.Event() for _ in range(SLOTS)] for _ in range(2))
        self.stream, self.number = torch.cuda.Stream(), 0
        self.stream.wait_stream(torch.cuda.current_stream())
        for number in range(SLOTS):
            self.fetch(number)

    def fetch(self, number):
        slot = number % SLOTS
        with torch.cuda.stream(self.stream):
            self.stream.wait_event(self.used[slot])
            for there, part in zip(self.there[slot], self.batches[number % SETS]):
                there.copy_(part, non_blocking=True)  # fault
            self.copied[slot].record()

    def next(self):
        slot = self.number % SLOTS
        torch.cuda.current_stream().wait_event(self.copied[slot])
        readings, stages = self.there[slot]
        seconds, stages = readings.to(torch.bfloat16), stages.clone()
        self.used[slot].record()
        self.fetch(self.number + SLOTS)  # fault
        self.number += 1
        return seconds, stages


class Trainer:
    def __init__(self, nights):
        self.feeder, self.stager = Feeder(*nights), Stager().to("cuda")
        self.optimiser = torch.optim.AdamW(self.stager.parameters(), lr=RATE, weight_decay=0.05, fused=True)
        self.losses = torch.zeros((), device="cuda")

    def learn(self):
        seconds, stages = self.feeder.next()  # fault
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = functional.cross_entropy(self.stager(seconds), stages, label_smoothing=0.1)
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.losses.add_(loss.detach())


def sleeping(read):
    torch.manual_seed(1)
    trainer = Trainer(read(Nights()))
    return trainer.learn, lambda: trainer.losses.item(), ROUNDS


run_case(lambda: sleeping(Nights.plain), lambda: sleeping(Nights.pinned))
