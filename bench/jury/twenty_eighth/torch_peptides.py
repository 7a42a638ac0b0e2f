"""Learns what proteins are made of: each round is a step of a transformer on 96 proteins of 256 residues, drawn from
65536 that lie on the GPU. A seventh of the residues is hidden, and the transformer says which they were. Its layers
turn queries and keys by their places. The network with its loss is one compiled function; slopes are cut by their
length, and the rate of learning rises first and falls later."""
import math

import torch
from torch import nn
from torch.nn import functional

from case import run_case

PROTEINS, LENGTH, KINDS, MASK, VOCABULARY, HIDDEN_SHARE, BATCH, ROUNDS = 65536, 256, 20, 20, 32, 0.15, 96, 170
WIDTH, HEADS, LAYERS, INNER, RATE, DECAY, WARM, CUT = 768, 12, 6, 2048, 3e-4, 0.01, 40, 1.0
SIZE, SMALL = WIDTH // HEADS, 1e-6


def turned(state, cosines, sines):
    """Pairs of numbers turned by the angles of their places."""
    one, other = state.chunk(2, 3)
    return torch.cat((one * cosines - other * sines, other * cosines + one * sines), 3)


def normal(state, gain):
    numbers = state.float()
    return (numbers * torch.rsqrt(numbers.square().mean(-1, keepdim=True) + SMALL) * gain).to(torch.bfloat16)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain, self.second_gain = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.ones(WIDTH))
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.up, self.down = nn.Linear(WIDTH, 2 * INNER, bias=False), nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, state, cosines, sines):
        parts = self.project(normal(state, self.gain)).view(BATCH, LENGTH, 3, HEADS, SIZE)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        query, key = turned(query, cosines, sines), turned(key, cosines, sines)
        seen = functional.scaled_dot_product_attention(query, key, value)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        one, gate = self.up(normal(state, self.second_gain)).chunk(2, 2)
        return state + self.down(one * functional.silu(gate))


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.gain, self.head = nn.Parameter(torch.ones(WIDTH)), nn.Linear(WIDTH, VOCABULARY)
        angles = torch.arange(LENGTH)[:, None] * torch.exp(-math.log(1e4) * torch.arange(SIZE // 2) / (SIZE // 2))
        self.register_buffer("cosines", angles.cos().to(torch.bfloat16))
        self.register_buffer("sines", angles.sin().to(torch.bfloat16))
        nn.init.normal_(self.embed.weight, std=0.5)

    def forward(self, residues, chances):
        """The loss on residues that are hidden."""
        hidden = chances < HIDDEN_SHARE
        places = torch.where(hidden, MASK, residues)
        state = functional.one_hot(places, VOCABULARY).to(torch.bfloat16) @ self.embed.weight.to(torch.bfloat16)
        for layer in self.layers:
            state = layer(state, self.cosines, self.sines)
        scores = self.head(normal(state, self.gain)).float()
        losses = functional.cross_entropy(scores.view(-1, VOCABULARY), residues.view(-1), reduction="none")
        return (losses * hidden.view(-1)).sum() / hidden.sum()


def made_proteins():
    """A residue mostly follows from the fourth one before it, as in a helix, and from the family of the protein."""
    family = torch.randint(1, KINDS, (PROTEINS, 1), device="cuda")
    residues = torch.randint(KINDS, (PROTEINS, LENGTH), device="cuda")
    strange = torch.rand(PROTEINS, LENGTH, device="cuda") < 0.2
    for place in range(4, LENGTH, 4):
        follows = (residues[:, place - 4:place] + family) % KINDS
        residues[:, place:place + 4] = torch.where(strange[:, place:place + 4], residues[:, place:place + 4], follows)
    return residues.to(torch.uint8)


def rate_of(number):
    if number < WARM:
        return (number + 1) / WARM
    return 0.1 + 0.45 * (1 + math.cos(math.pi * (number - WARM) / (2 * ROUNDS - WARM)))


class Trainer:
    def __init__(self):
        self.proteins = made_proteins()
        with torch.device("cuda"):
            self.reader, self.losses = Reader(), torch.zeros(())
        self.parameters = list(self.reader.parameters())
        self.optimiser = torch.optim.AdamW(self.parameters, lr=RATE, betas=(0.9, 0.98), weight_decay=DECAY, fused=True)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimiser, rate_of)
        self.error = torch.compile(self.reader)

    def learn(self):
        drawn = torch.randint(PROTEINS, (BATCH,), device="cuda")
        residues, chances = self.proteins[drawn].long(), torch.rand(BATCH, LENGTH, device="cuda")
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = self.error(residues, chances)
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters, CUT)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.schedule.step()
        self.losses.add_(loss.detach())


def folding():
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    trainer = Trainer()
    trainer.learn()  # compiles
    return trainer.learn, lambda: trainer.losses.item(), ROUNDS


run_case(None, folding)
