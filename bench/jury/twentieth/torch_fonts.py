"""Learns which letters are the same in two fonts: each round a transformer of pictures of 6 layers is trained on 512
letters of 64 x 64 grey points, and is to tell what a slow average of itself makes of the same letters in the other font
from what that made of 65536 letters before.

Nothing is wrong: all letters lie on the GPU as bytes, and a round's are picked by one index; what was made of letters is
kept in a ring that is written in place; the slow average finds no gradients and follows by operations on lists; products
are in bfloat16 by autocast, the optimiser is fused, and losses are summed on the GPU.
The pattern is that of lightly-ai/lightly, pull request 1899 (a slow average by operations on lists, 47 s become 4), and
neel-dey/anatomix, pull request 13: a training of this kind in mixed precision with compiled losses, 6 days become 30
hours."""
import copy

import torch
from torch import nn
from torch.nn import functional

from case import run_case

LETTERS, BATCH, SIDE, SQUARE, WIDTH, HEADS, LAYERS, SIZE, KEPT = 49152, 512, 64, 8, 512, 8, 6, 128, 65536
PLACES, POINTS, RATE, SHARE, HEAT, ROUNDS = (SIDE // SQUARE) ** 2, SQUARE * SQUARE, 1e-5, 0.001, 0.07, 240


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(BATCH, PLACES, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*parts)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Reader(nn.Module):
    """Vectors of length one."""
    def __init__(self):
        super().__init__()
        self.start, self.places = nn.Linear(POINTS, WIDTH), nn.Parameter(torch.randn(PLACES, WIDTH) * 0.02)
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, SIZE)

    def forward(self, squares):
        state = self.layers(self.start(squares) + self.places.to(squares.dtype))
        return functional.normalize(self.head(self.norm(state).mean(1)).float(), dim=1)


class Letters:
    """In both fonts, as squares of points that lie together."""
    def __init__(self):
        with torch.device("cuda"):
            self.points = torch.randint(256, (LETTERS, 2, PLACES, POINTS), dtype=torch.uint8)
            self.order = torch.stack([torch.randperm(LETTERS) for _ in range(2)]).view(-1, BATCH)
        self.number = 0

    def next(self):
        own = self.points.index_select(0, self.order[self.number % len(self.order)])
        self.number += 1
        return own.to(torch.bfloat16).sub_(127.5).mul_(1 / 64).unbind(1)


class Learner:
    def __init__(self):
        self.letters, self.reader = Letters(), Reader().to("cuda")
        self.slow = copy.deepcopy(self.reader).requires_grad_(False)
        self.weights, self.slow_weights = list(self.reader.parameters()), list(self.slow.parameters())
        self.optimiser = torch.optim.AdamW(self.weights, lr=RATE, weight_decay=0.05, fused=True)
        self.before = functional.normalize(torch.randn(KEPT, SIZE, device="cuda"), dim=1).to(torch.bfloat16)
        self.losses, self.slot = torch.zeros((), device="cuda"), 0
        self.own = torch.arange(BATCH, device="cuda")

    def learn(self):
        one, other = self.letters.next()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            with torch.no_grad():
                self.before[self.slot:self.slot + BATCH] = self.slow(other)
            told = self.reader(one)
            scores = (told / HEAT) @ self.before.t()
            loss = functional.cross_entropy(scores.float(), self.own + self.slot)
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()
        with torch.no_grad():
            torch._foreach_lerp_(self.slow_weights, self.weights, SHARE)
            self.losses.add_(loss)
        self.slot = (self.slot + BATCH) % KEPT


def printing():
    torch.manual_seed(1)
    learner = Learner()
    return learner.learn, lambda: learner.losses.item(), ROUNDS


run_case(None, printing)
