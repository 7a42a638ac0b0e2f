"""Listens to the escalators of a city: each round brings 24 moments of 64 sensors on each of 96 escalators. A
transformer in bfloat16 sees a moment after the other, remembers the last 1024 of them as keys and values, and
foretells what the sensors say next. How far off it is, is kept for each escalator: one that wears out becomes hard to
foretell."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

STAIRS, SENSORS, CLOCKS, MOMENTS, SEEN, ROUNDS = 96, 64, 16, 24, 1024, 85
WIDTH, HEADS, INNER, LAYERS = 1024, 16, 4096, 5
SIZE = WIDTH // HEADS


class Sliding:
    """Keys and values of the moments that are remembered, the oldest one first."""
    def __init__(self):
        self.keys = 0.5 * torch.randn(STAIRS, HEADS, SEEN, SIZE, dtype=torch.bfloat16)
        self.values = 0.5 * torch.randn(STAIRS, HEADS, SEEN, SIZE, dtype=torch.bfloat16)

    def with_moment(self, key, value):
        self.keys = torch.cat((self.keys[:, :, 1:], key), 2)  # fault
        self.values = torch.cat((self.values[:, :, 1:], value), 2)  # fault
        return self.keys, self.values


class Ring(Sliding):
    """A moment takes the place of the oldest one. Attention does not ask for the order: moments carry their time."""
    def __init__(self):
        super().__init__()
        self.place = 0

    def with_moment(self, key, value):
        self.keys[:, :, self.place:self.place + 1] = key
        self.values[:, :, self.place:self.place + 1] = value
        self.place = (self.place + 1) % SEEN
        return self.keys, self.values


class Layer(nn.Module):
    def __init__(self, memory):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.memory = memory

    def forward(self, state):
        query, key, value = self.project(self.norm(state)).view(STAIRS, 3, HEADS, 1, SIZE).unbind(1)
        keys, values = self.memory.with_moment(key, value)  # fault
        seen = functional.scaled_dot_product_attention(query, keys, values)
        state = state + self.out(seen.flatten(1))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Listener(nn.Module):
    def __init__(self, memory):
        super().__init__()
        self.embed = nn.Linear(SENSORS + CLOCKS, WIDTH)
        self.layers = nn.Sequential(*(Layer(memory()) for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, SENSORS)

    def forward(self, readings):
        return self.head(self.norm(self.layers(self.embed(readings))))  # fault


class City:
    def __init__(self, memory):
        with torch.device("cuda"):
            self.listener = Listener(memory).to(torch.bfloat16).eval().requires_grad_(False)
            self.rates, self.phases = 0.5 * torch.rand(STAIRS, SENSORS), 6.28 * torch.rand(STAIRS, SENSORS)
            self.wear = 0.3 * torch.rand(STAIRS, 1)
            self.clocks = 6.28 / 2.0 ** torch.arange(2, 2 + CLOCKS)
            self.missed = torch.zeros(STAIRS)
        self.time = 0

    def readings(self):
        """What the sensors say in the moments of a round, and in the one after it, with the time beside them."""
        times = torch.arange(self.time, self.time + MOMENTS + 1, device="cuda")[:, None]
        turns = self.rates * times[..., None] + self.phases
        worn = torch.sin(turns) + self.wear * torch.sin(7.3 * turns + 2 * torch.sin(0.37 * times[..., None]))
        clock = torch.sin(self.clocks * times)[:, None].expand(-1, STAIRS, -1)
        return torch.cat((worn, clock), 2).to(torch.bfloat16)

    @torch.inference_mode()
    def listen(self):
        readings = self.readings()
        told = torch.stack([self.listener(now) for now in readings[:-1]])  # fault
        self.missed.add_((told.float() - readings[1:, :, :SENSORS].float()).square().mean((0, 2)))
        self.time += MOMENTS

    def total(self):
        return self.missed.mean().item()


def riding(memory):
    torch.manual_seed(1)
    city = City(memory)
    return city.listen, city.total, ROUNDS


run_case(lambda: riding(Sliding), lambda: riding(Ring))
