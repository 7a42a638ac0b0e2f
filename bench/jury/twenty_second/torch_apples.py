"""Counts apples on trees: each round, a network of 3 x 3 convolutions looks at 32 pictures that a drone has taken, of
1024 x 1024 points, and tells how many apples are in each.

Pictures lie in pinned memory as bytes, and those of the next round are copied by a stream of their own while the
network works; the network is channels_last and in bfloat16; counts go to pinned memory and are read three rounds
later."""
import torch
from torch import nn

from case import run_case

PICTURES, POINTS, SQUARE, COLOURS, WIDTH, BLOCKS, SETS, SLOTS, READ, ROUNDS = 32, 1024, 8, 3, 256, 2, 4, 2, 3, 280
PLACES, INPUTS = POINTS // SQUARE, SQUARE * SQUARE * COLOURS


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = (nn.Conv2d(WIDTH, WIDTH, 3, padding=1) for _ in range(2))
        self.bend = nn.ReLU(inplace=True)

    def forward(self, state):
        return self.bend(self.second(self.bend(self.first(state))).add_(state))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.head = nn.Linear(INPUTS, WIDTH), nn.Linear(WIDTH, 1)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))

    def forward(self, squares):
        state = self.blocks(self.start(squares).permute(0, 3, 1, 2))  # channels_last
        return self.head(state.permute(0, 2, 3, 1)).float().sigmoid().sum((1, 2, 3))


class Drone:
    """Keeps the pictures of two rounds on the GPU: those that are looked at, and those that are copied meanwhile."""
    def __init__(self):
        shape = PICTURES, POINTS, POINTS, COLOURS
        self.taken = [torch.randint(256, shape, dtype=torch.uint8).pin_memory() for _ in range(SETS)]
        self.there = [torch.empty(shape, dtype=torch.uint8, device="cuda") for _ in range(SLOTS)]
        self.copied, self.used = ([torch.cuda.Event() for _ in range(SLOTS)] for _ in range(2))
        self.stream, self.number = torch.cuda.Stream(), 0
        self.stream.wait_stream(torch.cuda.current_stream())
        for number in range(SLOTS):
            self.fetch(number)

    def fetch(self, number):
        slot = number % SLOTS
        with torch.cuda.stream(self.stream):
            self.stream.wait_event(self.used[slot])
            self.there[slot].copy_(self.taken[number % SETS], non_blocking=True)
            self.copied[slot].record()

    def squares(self, told):
        """Writes the next pictures to `told`, square by square."""
        slot = self.number % SLOTS
        torch.cuda.current_stream().wait_event(self.copied[slot])
        rows = self.there[slot].view(PICTURES, PLACES, SQUARE, PLACES, SQUARE, COLOURS)
        told.view(PICTURES, PLACES, PLACES, SQUARE, SQUARE, COLOURS).copy_(rows.transpose(2, 3))
        self.used[slot].record()
        self.fetch(self.number + SLOTS)
        self.number += 1


class Orchard:
    def __init__(self):
        self.drone = Drone()
        with torch.device("cuda"):
            self.counter = Counter().to(dtype=torch.bfloat16, memory_format=torch.channels_last).eval()
            self.counter.start.weight.data.mul_(1 / 128)  # points are bytes
            self.squares = torch.empty(PICTURES, PLACES, PLACES, INPUTS, dtype=torch.bfloat16)
        self.told = [torch.empty(PICTURES, pin_memory=True) for _ in range(READ)]
        self.ready = [torch.cuda.Event() for _ in range(READ)]
        self.number, self.apples = 0, 0.0

    def read(self, slot):
        self.ready[slot].synchronize()
        self.apples += self.told[slot].sum().item()

    @torch.inference_mode()
    def look(self):
        slot = self.number % READ
        if self.number >= READ:
            self.read(slot)
        self.drone.squares(self.squares)
        self.told[slot].copy_(self.counter(self.squares), non_blocking=True)
        self.ready[slot].record()
        self.number += 1

    def finish(self):
        for number in range(max(self.number - READ, 0), self.number):
            self.read(number % READ)
        return self.apples


def picking():
    torch.manual_seed(1)
    orchard = Orchard()
    return orchard.look, orchard.finish, ROUNDS


run_case(None, picking)
