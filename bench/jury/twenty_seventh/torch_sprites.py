"""Draws figures for a game: each round, eight sprites of 32 x 32 points are made of noise by a diffusion transformer
in eight steps. What kind of figure it is and how far the drawing has come set the scale and the shift of each block.
The network was trained in mixed precision; products are made in bfloat16, norms and the sprites stay in 32 bits."""
import math

import torch
from torch import nn
from torch.nn import functional

from case import run_case

SPRITES, POINTS, PATCH, COLOURS, KINDS, STEPS, ROUNDS = 8, 32, 4, 4, 96, 8, 200
WIDTH, HEADS, LAYERS, WAVES = 3072, 24, 3, 256
ACROSS, PATCH_SIZE = POINTS // PATCH, PATCH * PATCH * COLOURS


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH, elementwise_affine=False)
        self.second_norm = nn.LayerNorm(WIDTH, elementwise_affine=False)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.adapt = nn.Linear(WIDTH, 6 * WIDTH)

    def attend(self, state):
        parts = self.project(state).view(SPRITES, ACROSS ** 2, 3, HEADS, WIDTH // HEADS)  # fault
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        return self.out(seen.transpose(1, 2).flatten(2))  # fault

    def forward(self, state, known):
        shift, scale, gate, second_shift, second_scale, second_gate = self.adapt(known)[:, None].chunk(6, 2)  # fault
        state = state + gate * self.attend(torch.addcmul(shift, self.norm(state), 1 + scale))  # fault
        inner = torch.addcmul(second_shift, self.second_norm(state), 1 + second_scale)
        return state + second_gate * self.down(functional.gelu(self.up(inner), approximate="tanh"))  # fault


class Painter(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Linear(PATCH_SIZE, WIDTH), nn.Parameter(0.3 * torch.randn(ACROSS ** 2, WIDTH))
        self.kinds, self.time = nn.Embedding(KINDS, WIDTH), nn.Linear(2 * WAVES, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, PATCH_SIZE)

    def forward(self, patches, waves, kinds):
        """The noise in each patch."""
        known = functional.silu(self.time(waves) + self.kinds(kinds))
        state = self.embed(patches) + self.places
        for block in self.blocks:
            state = block(state, known)  # fault
        return self.head(self.norm(state)).float()


def as_trained(painter):
    return painter  # fault


def as_used(painter):
    """Weights of products as products take them; the norms and what is learned of places and kinds stay as they are."""
    for part in painter.modules():
        if isinstance(part, nn.Linear):
            part.to(torch.bfloat16)
    return painter


class Studio:
    def __init__(self, prepare):
        with torch.device("cuda"):
            self.painter = prepare(Painter().eval().requires_grad_(False))  # fault
            self.drawn, self.kinds = torch.zeros(()), torch.arange(SPRITES)
            speeds = torch.exp(-math.log(1e4) / WAVES * torch.arange(WAVES)) * 1000
            angles = torch.linspace(1, 1 / STEPS, STEPS)[:, None] * speeds
            self.waves = torch.cat((angles.cos(), angles.sin()), 1).view(STEPS, 1, 2 * WAVES)
        self.kept = [math.cos(0.5 * math.pi * (STEPS - step) / (STEPS + 0.25)) for step in range(STEPS + 1)]

    @torch.inference_mode()
    def draw(self):
        """Each step takes out as much noise as it finds, and puts less of it back."""
        noisy = torch.randn(SPRITES, ACROSS ** 2, PATCH_SIZE, device="cuda")
        with torch.autocast("cuda", dtype=torch.bfloat16):  # fault
            for step in range(STEPS):
                noise = self.painter(noisy, self.waves[step], self.kinds)  # fault
                own, after = self.kept[step], self.kept[step + 1]
                clean = torch.sub(noisy, noise, alpha=math.sqrt(1 - own * own)).div_(own).clamp_(-3, 3)
                noisy = clean.mul_(after).add_(noise, alpha=math.sqrt(1 - after * after))
        self.drawn.add_(noisy.abs().mean())
        self.kinds.add_(1).remainder_(KINDS)


def playing(prepare):
    torch.manual_seed(1)
    studio = Studio(prepare)
    return studio.draw, lambda: studio.drawn.item(), ROUNDS


run_case(lambda: playing(as_trained), lambda: playing(as_used))
