"""Learns to tell butterflies apart: each round is a step of a vision transformer on 256 photographs of 256 x 256 points,
in mixed precision. Photographs come as bytes, batch by batch, as the workers of a loader have collated them; they are
turned, cut into patches and made numbers on the GPU."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PICTURES, POINTS, PATCH, COLOURS, SPECIES, SETS = 256, 256, 16, 3, 1000, 6
WIDTH, HEADS, LAYERS, RATE, ROUNDS = 256, 4, 4, 2e-5, 220
ACROSS, PATCH_SIZE = POINTS // PATCH, PATCH * PATCH * COLOURS


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        pictures, patches, _ = state.shape
        parts = self.project(self.norm(state)).view(pictures, patches, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(PATCH_SIZE, WIDTH)
        self.places = nn.Parameter(0.02 * torch.randn(ACROSS * ACROSS, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, SPECIES)

    def forward(self, patches):
        state = self.layers(self.embed(patches) + self.places)
        return self.head(self.norm(state).mean(1))


class Collected:
    """Batches in the memory of the host."""
    def __init__(self, pinned):
        self.batches = []
        for _ in range(SETS):
            species = torch.randint(SPECIES, (PICTURES,))
            pictures = torch.randint(256, (PICTURES, POINTS, POINTS, COLOURS), dtype=torch.uint8)
            pictures[:, ::PATCH, ::PATCH, 0] = (species % 256).to(torch.uint8)[:, None, None]
            batch = pictures, species
            self.batches.append(tuple(part.pin_memory() for part in batch) if pinned else batch)

    def __getitem__(self, number):
        return self.batches[number % SETS]


def cut(pictures, turned):
    """Patches of each picture, from -1 to 1; each second batch is turned, as butterflies look the same both ways."""
    if turned:
        pictures = pictures.flip(2)
    squares = pictures.view(-1, ACROSS, PATCH, ACROSS, PATCH, COLOURS).transpose(2, 3)
    return squares.reshape(-1, ACROSS * ACROSS, PATCH_SIZE).to(torch.bfloat16).mul_(1 / 127.5).sub_(1)


class Trainer:
    def __init__(self, pinned):
        self.batches, self.number = Collected(pinned), 0
        with torch.device("cuda"):
            self.network = VisionTransformer()
            self.losses = torch.zeros(())
        self.optimiser = torch.optim.AdamW(self.network.parameters(), lr=RATE, weight_decay=0.05, fused=True)

    def learn(self):
        pictures, species = self.batches[self.number]
        pictures = pictures.to("cuda", non_blocking=True)  # fault
        species = species.to("cuda", non_blocking=True)  # fault
        with torch.autocast("cuda", dtype=torch.bfloat16):
            told = self.network(cut(pictures, self.number % 2))
        loss = functional.cross_entropy(told.float(), species, label_smoothing=0.1)
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.losses.add_(loss.detach())
        self.number += 1


def fluttering(pinned):
    torch.manual_seed(1)
    trainer = Trainer(pinned)
    return trainer.learn, lambda: trainer.losses.item(), ROUNDS


run_case(lambda: fluttering(False), lambda: fluttering(True))
