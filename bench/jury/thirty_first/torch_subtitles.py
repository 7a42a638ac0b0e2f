"""Says what viewers will feel at lines of subtitles: each round, 48 lines of 16 tokens go through a transformer, which
tells how much of each of 32 feelings is in a line. The network came out of training in 32 bits and runs in mixed
precision. How sure it was is kept for each place in a scene, and the mood of a film follows its lines slowly."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

LINES, TOKENS, SCENES, WORDS, FEELINGS, ROUNDS = 48, 16, 9, 32000, 32, 820
WIDTH, HEADS, LAYERS, SLOW, SHIFT = 2048, 16, 12, 0.05, 37
SIZE = WIDTH // HEADS


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(state).view(LINES, TOKENS, 3, HEADS, SIZE)  # fault
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        return self.out(seen.transpose(1, 2).flatten(2))  # fault


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm, self.attention = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH), Attention()
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        state = state + self.attention(self.norm(state))  # fault
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))  # fault


class Viewer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Parameter(0.1 * torch.randn(TOKENS, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, FEELINGS)

    def forward(self, tokens):
        state = self.layers(self.words(tokens) + self.places)  # fault
        return self.head(self.norm(state.mean(1))).float().softmax(1)


@torch.no_grad()
def trained():
    """Stands for a network that was read from a checkpoint."""
    with torch.device("cuda"):
        viewer = Viewer()
    for part in viewer.modules():
        if isinstance(part, nn.Linear):
            part.weight.mul_(1.5)
        if isinstance(part, Layer):
            part.attention.out.weight.mul_(0.5)
            part.down.weight.mul_(0.5)
    return viewer.eval().requires_grad_(False)


def loaded(viewer):
    return viewer


def loaded_short(viewer):
    for part in viewer.modules():
        if isinstance(part, nn.Linear):
            part.to(torch.bfloat16)
    return viewer


class Studio:
    def __init__(self, load):
        self.viewer, self.number = load(trained()), 0  # fault
        self.scenes = torch.randint(WORDS, (SCENES, LINES, TOKENS), device="cuda")
        self.sure, self.loudest = torch.zeros(LINES, device="cuda"), torch.zeros((), device="cuda")
        self.mood = torch.full((FEELINGS,), 1 / FEELINGS, device="cuda")

    @torch.inference_mode()
    def watch(self):
        tokens = (self.scenes[self.number % SCENES] + SHIFT * self.number) % WORDS
        with torch.autocast("cuda", dtype=torch.bfloat16):
            feelings = self.viewer(tokens)  # fault
        self.mood.lerp_(feelings.mean(0), SLOW)
        self.sure.add_(feelings.amax(1))
        self.loudest.add_(self.mood.amax())
        self.number += 1

    def total(self):
        return ((self.sure.mean() + self.loudest) / ROUNDS).item()


def showing(load):
    torch.manual_seed(1)
    studio = Studio(load)
    return studio.watch, studio.total, ROUNDS


run_case(lambda: showing(loaded), lambda: showing(loaded_short))  # fault
