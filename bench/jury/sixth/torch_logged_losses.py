"""Trains a small language model on 32 texts of 512 words a step, and logs the loss each 25th step.

Nothing is wrong: the host reads a loss once in 25 steps, and the words, 256 KB a step, come from pinned memory without a wait.
The pattern is that of karpathy/nanoGPT, train.py."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

TEXTS, LENGTH, WIDTH, HEADS, LAYERS, WORDS, EACH, ROUNDS = 32, 512, 512, 8, 4, 8192, 25, 120


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.inward, self.outward = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, hidden):
        parts = self.inward(self.first(hidden)).view(TEXTS, LENGTH, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        hidden = hidden + self.outward(found.transpose(1, 2).reshape(TEXTS, LENGTH, WIDTH))
        return hidden + self.down(functional.gelu(self.up(self.second(hidden))))


def training():
    torch.manual_seed(1)
    corpus = torch.randint(WORDS, (1 << 20,))
    words, places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
    layers, last = nn.Sequential(*(Layer() for _ in range(LAYERS))), nn.LayerNorm(WIDTH)
    model = nn.ModuleList([words, places, layers, last]).to("cuda", torch.bfloat16)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    positions, number, logged = torch.arange(LENGTH, device="cuda"), [0], [0.0]

    def one_round():
        firsts = torch.randint(corpus.numel() - LENGTH - 1, (TEXTS,)).tolist()
        texts = torch.stack([corpus[first:first + LENGTH + 1] for first in firsts]).pin_memory().to("cuda", non_blocking=True)
        hidden = last(layers(words(texts[:, :-1]) + places(positions)))
        scores = functional.linear(hidden, words.weight).view(-1, WORDS)
        loss = functional.cross_entropy(scores.float(), texts[:, 1:].reshape(-1))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        number[0] += 1
        if number[0] % EACH == 0:
            logged[0] += loss.item()

    return one_round, lambda: logged[0], ROUNDS


run_case(None, training)
