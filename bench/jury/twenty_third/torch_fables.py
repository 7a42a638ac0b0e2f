"""Trains a small GPT on fables, letter by letter: each round is a step on 32 passages of 512 letters, in mixed
precision, with AdamW, a rate that rises and falls, and clipped gradients. The text lies on the GPU, and passages are
drawn from it at random."""
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from case import run_case

BATCH, CONTEXT, LETTERS, WIDTH, HEADS, LAYERS = 32, 512, 96, 512, 8, 4
WORDS, VOCABULARY, RATE, LOWEST, WARM, CLIP, ROUNDS = 500000, 3000, 6e-5, 6e-6, 20, 1.0, 350


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def attend(self, query, key, value):
        raise NotImplementedError

    def forward(self, state):
        batch, context, _ = state.shape
        query, key, value = (
            part.view(batch, context, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in self.project(state).split(WIDTH, dim=2))
        seen = self.attend(query, key, value)  # fault
        return self.out(seen.transpose(1, 2).reshape(batch, context, WIDTH))


class PlainAttention(Attention):
    def __init__(self):
        super().__init__()
        self.register_buffer("later", torch.ones(CONTEXT, CONTEXT, dtype=torch.bool).triu(1), persistent=False)

    def attend(self, query, key, value):
        context = query.shape[2]
        scores = query @ key.transpose(-2, -1) * (1.0 / math.sqrt(query.shape[-1]))  # fault
        scores = scores.masked_fill(self.later[:context, :context], float("-inf"))  # fault
        weights = functional.softmax(scores, dim=-1)  # fault
        return weights @ value  # fault


class LibraryAttention(Attention):
    def attend(self, query, key, value):
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True)


class Block(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.norm, self.attention, self.second_norm = nn.LayerNorm(WIDTH), attention(), nn.LayerNorm(WIDTH)
        self.mix = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, state):
        state = state + self.attention(self.norm(state))  # fault
        return state + self.mix(self.second_norm(state))


class Teller(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.letters, self.places = nn.Embedding(LETTERS, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block(attention) for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, LETTERS, bias=False)
        self.apply(self.start)

    @staticmethod
    def start(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
            if getattr(module, "bias", None) is not None:
                nn.init.zeros_(module.bias)

    def forward(self, text, following):
        state = self.letters(text) + self.places.weight[:text.shape[1]]
        for block in self.blocks:
            state = block(state)  # fault
        told = self.head(self.norm(state))
        return functional.cross_entropy(told.view(-1, LETTERS), following.reshape(-1))


def made_text():
    """Words of three to nine letters, some of them more frequent than others, with blanks between them."""
    random = np.random.default_rng(1)
    words = [np.append(random.integers(1, LETTERS, size), 0) for size in random.integers(3, 10, VOCABULARY)]
    picks = (VOCABULARY * random.random(WORDS) ** 3).astype(np.int64)
    return torch.from_numpy(np.concatenate([words[pick] for pick in picks]))


class Trainer:
    def __init__(self, attention):
        self.text = made_text().to("cuda")
        self.steps = torch.arange(CONTEXT + 1, device="cuda")
        self.teller = Teller(attention).to("cuda")
        matrices = [part for part in self.teller.parameters() if part.dim() > 1]
        vectors = [part for part in self.teller.parameters() if part.dim() == 1]
        groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.95), fused=True)
        self.number, self.losses = 0, torch.zeros((), device="cuda")

    def rate(self):
        if self.number < WARM:
            return RATE * (self.number + 1) / WARM
        share = (self.number - WARM) / max(ROUNDS - WARM, 1)
        return LOWEST + 0.5 * (1 + math.cos(math.pi * share)) * (RATE - LOWEST)

    def passages(self):
        first = torch.randint(len(self.text) - CONTEXT - 1, (BATCH, 1), device="cuda")
        drawn = self.text[first + self.steps]
        return drawn[:, :-1], drawn[:, 1:]

    def learn(self):
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate()
        text, following = self.passages()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = self.teller(text, following)  # fault
        loss.backward()  # fault
        nn.utils.clip_grad_norm_(self.teller.parameters(), CLIP)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.losses.add_(loss.detach())
        self.number += 1


def telling(attention):
    torch.manual_seed(1)
    trainer = Trainer(attention)
    return trainer.learn, lambda: trainer.losses.item(), ROUNDS


run_case(lambda: telling(PlainAttention), lambda: telling(LibraryAttention))
