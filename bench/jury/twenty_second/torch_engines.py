"""Learns how many flights an aircraft engine has left: each round a transformer of 4 layers is trained in mixed
precision on 512 flights, of 192 moments of 128 sensors each. Loaders have read shards of flights into the host's
memory, and the shard of the round after the next is copied by a stream of its own."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from case import run_case

FLIGHTS, MOMENTS, SENSORS, PATCH, SLOTS, SETS = 512, 192, 128, 16, 2, 5
TOKENS, WIDTH, HEADS, LAYERS, RATE, ROUNDS = MOMENTS // PATCH, 768, 12, 4, 1e-5, 360


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(FLIGHTS, TOKENS, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*parts)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Prognosis(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.places = nn.Linear(PATCH * SENSORS, WIDTH), nn.Parameter(torch.randn(TOKENS, WIDTH) * 0.02)
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1)

    def forward(self, flights):
        state = self.layers(self.start(flights) + self.places)
        return self.head(self.norm(state).mean(1)).squeeze(1)


def size_of(part):
    return part.numel() * part.element_size()


class Shards:
    """Flights as the loaders have read them, and how many flights were left after each, in hundreds."""
    def __init__(self):
        random = np.random.default_rng(1)
        shape = FLIGHTS, TOKENS, PATCH * SENSORS
        self.flights = [torch.from_numpy(random.standard_normal(shape, dtype=np.float32)) for _ in range(SETS)]
        self.left = torch.from_numpy(random.gamma(2.0, 0.5, (SETS, FLIGHTS)).astype(np.float32)).pin_memory()

    @staticmethod
    def pin(part):
        torch.cuda.check_error(torch.cuda.cudart().cudaHostRegister(part.data_ptr(), size_of(part), 0))  # fault

    @staticmethod
    def unpin(part):
        torch.cuda.check_error(torch.cuda.cudart().cudaHostUnregister(part.data_ptr()))  # fault


class LentShards(Shards):
    """Pages are only pinned while a shard is copied."""
    def take(self, number):
        self.pin(self.flights[number])  # fault
        return self.flights[number], self.left[number]

    def give_back(self, number, copied):
        copied.synchronize()
        self.unpin(self.flights[number])  # fault


class KeptShards(Shards):
    def __init__(self):
        super().__init__()
        for part in self.flights:
            self.pin(part)

    def take(self, number):
        return self.flights[number], self.left[number]

    def give_back(self, number, copied):
        """Nothing to do: the pages stay pinned."""


class Feeder:
    """Keeps two rounds' flights on the GPU: those that are used, and those that are copied meanwhile."""
    def __init__(self, shards):
        self.shards, self.number = shards, 0
        self.there = [(torch.empty(FLIGHTS, TOKENS, PATCH * SENSORS, device="cuda"),
                       torch.empty(FLIGHTS, device="cuda")) for _ in range(SLOTS)]
        self.copied, self.used = ([torch.cuda.Event() for _ in range(SLOTS)] for _ in range(2))
        self.stream = torch.cuda.Stream()
        self.stream.wait_stream(torch.cuda.current_stream())
        for number in range(SLOTS):
            self.fetch(number)

    def fetch(self, number):
        slot, shard = number % SLOTS, number % SETS
        if number:
            self.shards.give_back((number - 1) % SETS, self.copied[(number - 1) % SLOTS])  # fault
        parts = self.shards.take(shard)  # fault
        with torch.cuda.stream(self.stream):
            self.stream.wait_event(self.used[slot])
            for there, part in zip(self.there[slot], parts):
                there.copy_(part, non_blocking=True)
            self.copied[slot].record()

    def next(self):
        slot = self.number % SLOTS
        torch.cuda.current_stream().wait_event(self.copied[slot])
        flights, left = self.there[slot]
        flights, left = flights.to(torch.bfloat16), left.clone()
        self.used[slot].record()
        self.fetch(self.number + SLOTS)  # fault
        self.number += 1
        return flights, left

    def close(self):
        last = self.number + SLOTS - 1
        self.shards.give_back(last % SETS, self.copied[last % SLOTS])


class Trainer:
    def __init__(self, shards):
        self.feeder, self.prognosis = Feeder(shards), Prognosis().to("cuda")
        self.optimiser = torch.optim.AdamW(self.prognosis.parameters(), lr=RATE, weight_decay=0.05, fused=True)
        self.losses = torch.zeros((), device="cuda")

    def learn(self):
        flights, left = self.feeder.next()  # fault
        with torch.autocast("cuda", dtype=torch.bfloat16):
            told = self.prognosis(flights)
        loss = functional.smooth_l1_loss(told.float(), left)
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.losses.add_(loss.detach())

    def finish(self):
        torch.cuda.synchronize()
        self.feeder.close()
        return self.losses.item()


def flying(shards):
    torch.manual_seed(1)
    trainer = Trainer(shards())
    return trainer.learn, trainer.finish, ROUNDS


run_case(lambda: flying(LentShards), lambda: flying(KeptShards))
