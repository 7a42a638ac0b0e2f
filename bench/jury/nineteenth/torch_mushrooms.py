"""Learns to tell 1024 kinds of mushrooms: a transformer of pictures of 8 layers is trained in mixed precision on 192
pictures of 128 x 128 points a round, which lie in the host's memory as bytes, cut into squares of 16 x 16.

Nothing is wrong: pictures lie in pinned memory and are copied as bytes by a stream of their own, two rounds ahead, to
arrays that are used in turn; they are normalised on the GPU; gradients are clipped and weights averaged by operations
on lists, the optimiser is fused, and losses and hits are summed on the GPU and read once.
The pattern is that of talmolab/sleap-nn, pull request 406 (pictures copied as bytes and normalised on the GPU), and
KellerJordan/modded-nanogpt, pull request 231: the next batch is copied by a stream of its own."""
import copy
import math

import torch
from torch import nn
from torch.nn import functional

from case import run_case

BATCH, PLACES, POINTS, KINDS, WIDTH, HEADS, LAYERS, SETS, WARMUP, RATE, SHARE, ROUNDS = (
    192, 64, 768, 1024, 768, 12, 8, 12, 20, 1e-5, 0.001, 130)


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


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.places = nn.Linear(POINTS, WIDTH), nn.Parameter(torch.randn(PLACES, WIDTH) * 0.02)
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, KINDS)

    def forward(self, squares):
        state = self.layers(self.start(squares) + self.places)
        return self.head(self.norm(state).mean(1))


class Feeder:
    """Keeps two rounds' pictures on the GPU: those that are used, and those that are copied meanwhile."""
    def __init__(self):
        shape = BATCH, PLACES, POINTS
        self.pictures = torch.empty(SETS, *shape, dtype=torch.uint8, pin_memory=True)
        self.pictures.copy_(torch.randint(256, (SETS, *shape), dtype=torch.uint8, device="cuda"))
        self.kinds = torch.randint(KINDS, (SETS, BATCH), device="cuda")
        self.there = [torch.empty(shape, dtype=torch.uint8, device="cuda") for _ in range(2)]
        self.copied, self.used = ([torch.cuda.Event() for _ in range(2)] for _ in range(2))
        self.stream, self.number = torch.cuda.Stream(), 0
        self.stream.wait_stream(torch.cuda.current_stream())
        self.fetch(0)
        self.fetch(1)

    def fetch(self, number):
        slot = number % 2
        with torch.cuda.stream(self.stream):
            self.stream.wait_event(self.used[slot])
            self.there[slot].copy_(self.pictures[number % SETS], non_blocking=True)
            self.copied[slot].record()

    def next(self):
        slot, own = self.number % 2, self.number % SETS
        torch.cuda.current_stream().wait_event(self.copied[slot])
        squares = self.there[slot].to(torch.bfloat16).sub_(127.5).mul_(1 / 64)
        self.used[slot].record()
        self.fetch(self.number + 2)
        self.number += 1
        return squares, self.kinds[own]


class Trainer:
    def __init__(self):
        self.network = Network().to("cuda")
        self.slow = copy.deepcopy(self.network).requires_grad_(False)
        self.weights, self.slow_weights = list(self.network.parameters()), list(self.slow.parameters())
        groups = ({"params": [weight for weight in self.weights if weight.dim() > 1], "weight_decay": 0.05},
                  {"params": [weight for weight in self.weights if weight.dim() < 2], "weight_decay": 0.0})
        self.optimiser = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.95), fused=True)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimiser, self.share_of_rate)
        self.losses, self.hits = torch.zeros((), device="cuda"), torch.zeros((), device="cuda", dtype=torch.int64)

    @staticmethod
    def share_of_rate(number):
        if number < WARMUP:
            return (number + 1) / WARMUP
        return 0.5 + 0.5 * math.cos(math.pi * (number - WARMUP) / (ROUNDS - WARMUP))

    def learn(self, squares, kinds):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            told = self.network(squares)
            loss = functional.cross_entropy(told, kinds, label_smoothing=0.1)
        loss.backward()
        nn.utils.clip_grad_norm_(self.weights, 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.schedule.step()
        with torch.no_grad():
            torch._foreach_lerp_(self.slow_weights, self.weights, SHARE)
            self.losses.add_(loss)
            self.hits.add_((told.argmax(1) == kinds).sum())


def gathering():
    torch.manual_seed(1)
    trainer, feeder = Trainer(), Feeder()
    return lambda: trainer.learn(*feeder.next()), lambda: trainer.losses.item(), ROUNDS


run_case(None, gathering)
