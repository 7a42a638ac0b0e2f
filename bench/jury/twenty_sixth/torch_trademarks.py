"""Searches a register of trademarks: each round, 256 new logos of 128 x 128 points are turned into vectors by a vision
transformer and compared with the vectors of 262144 marks that are registered; the ten most alike are looked at once
more, by quarters. Logos are decoded on the GPU; answers go out by pinned memory and are read two rounds later."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from case import run_case

LOGOS, POINTS, PATCH, COLOURS, MARKS, CLASSES, BEST, SETS, SLOTS = 256, 128, 16, 3, 1 << 18, 45, 10, 6, 2
WIDTH, HEADS, LAYERS, SIZE, PARTS, ROUNDS = 512, 8, 5, 256, 4, 520
ACROSS, PATCH_SIZE = POINTS // PATCH, PATCH * PATCH * COLOURS


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(LOGOS, ACROSS * ACROSS, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Linear(PATCH_SIZE, WIDTH), nn.Parameter(0.3 * torch.randn(ACROSS ** 2, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, SIZE)

    def forward(self, logos):
        """Vectors of length one: for each logo, and for each of its quarters."""
        squares = logos.view(LOGOS, ACROSS, PATCH, ACROSS, PATCH, COLOURS).transpose(2, 3)
        state = self.layers(self.embed(squares.reshape(LOGOS, ACROSS ** 2, PATCH_SIZE)) + self.places)
        told = self.head(self.norm(state)).view(LOGOS, PARTS, ACROSS ** 2 // PARTS, SIZE).mean(2)
        return functional.normalize(told.mean(1), dim=1), functional.normalize(told, dim=2)


class Register:
    """Vectors of all marks, and to which class of goods each belongs."""
    def __init__(self, store):
        vectors = functional.normalize(torch.randn(MARKS, SIZE, device="cuda"), dim=1).to(torch.bfloat16)
        self.vectors = store(vectors.cpu())
        self.classes = torch.randint(CLASSES, (MARKS,), device="cuda")

    def search(self, logos, quarters):
        """How alike the best marks are, and their classes."""
        vectors = self.vectors.to("cuda", non_blocking=True)  # fault
        alike, own = (logos @ vectors.T).topk(BEST, dim=1)
        second = torch.einsum("lps,lbs->lbp", quarters, vectors[own]).amax(2)
        return 0.5 * (alike + second).float(), self.classes[own]


class Slot:
    def __init__(self):
        self.alike = torch.zeros(LOGOS, BEST).pin_memory()
        self.classes = torch.zeros(LOGOS, BEST, dtype=torch.int64).pin_memory()
        self.ready = torch.cuda.Event()


class Office:
    def __init__(self, store):
        with torch.device("cuda"):
            self.encoder = Encoder().to(torch.bfloat16).eval().requires_grad_(False)
            self.scans = torch.randint(256, (SETS, LOGOS, POINTS, POINTS, COLOURS), dtype=torch.uint8)
        self.register, self.slots, self.number = Register(store), [Slot() for _ in range(SLOTS)], 0
        self.alike, self.asked = 0.0, np.zeros(CLASSES, np.int64)

    def read(self, slot):
        slot.ready.synchronize()
        self.alike += slot.alike.sum().item()
        self.asked += np.bincount(slot.classes.numpy().ravel(), minlength=CLASSES)

    @torch.inference_mode()
    def examine(self):
        slot = self.slots[self.number % SLOTS]
        if self.number >= SLOTS:
            self.read(slot)
        contrast = 1 + 0.05 * (self.number % 11)
        logos = self.scans[self.number % SETS].to(torch.bfloat16).mul_(contrast / 127.5).sub_(contrast)
        alike, classes = self.register.search(*self.encoder(logos))  # fault
        slot.alike.copy_(alike, non_blocking=True)
        slot.classes.copy_(classes, non_blocking=True)
        slot.ready.record()
        self.number += 1

    def close(self):
        for number in range(max(self.number - SLOTS, 0), self.number):
            self.read(self.slots[number % SLOTS])
        return self.alike


def filing(store):
    torch.manual_seed(1)
    office = Office(store)
    return office.examine, office.close, ROUNDS


run_case(lambda: filing(lambda own: own.pin_memory()), lambda: filing(lambda own: own.to("cuda")))
