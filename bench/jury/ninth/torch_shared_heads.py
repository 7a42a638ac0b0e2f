"""Decodes a word of 16 texts with 4096 stored words each; eight heads of queries share a head of keys and values.

At fault: keys and values are repeated for each head of queries, so eight equal copies are written and read again.
The pattern is that of mosaicml/llm-foundry, pull request 628: no repeated keys and values; here by enable_gqa."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

TEXTS, LENGTH, HEADS, SHARED, EACH, LAYERS, ROUNDS = 16, 4096, 32, 4, 128, 8, 600
WIDTH = HEADS * EACH


class Attention(nn.Module):
    def __init__(self, repeated):
        super().__init__()
        self.repeated = repeated
        self.inward = nn.Linear(WIDTH, WIDTH + 2 * SHARED * EACH, bias=False)
        self.outward = nn.Linear(WIDTH, WIDTH, bias=False)
        self.register_buffer("keys", torch.randn(TEXTS, SHARED, LENGTH, EACH, device="cuda"))
        self.register_buffer("values", torch.randn(TEXTS, SHARED, LENGTH, EACH, device="cuda"))

    def forward(self, hidden):
        normed = functional.rms_norm(hidden, (WIDTH,))
        queries, key, value = self.inward(normed).split([WIDTH, SHARED * EACH, SHARED * EACH], dim=-1)
        self.keys[:, :, -1].copy_(key.view(TEXTS, SHARED, EACH))
        self.values[:, :, -1].copy_(value.view(TEXTS, SHARED, EACH))
        queries, keys, values = queries.view(TEXTS, HEADS, 1, EACH), self.keys, self.values
        if self.repeated:
            keys = keys.repeat_interleave(HEADS // SHARED, dim=1)  # fault
            values = values.repeat_interleave(HEADS // SHARED, dim=1)  # fault
            found = functional.scaled_dot_product_attention(queries, keys, values)
        else:
            found = functional.scaled_dot_product_attention(queries, keys, values, enable_gqa=True)
        return hidden + self.outward(found.reshape(TEXTS, WIDTH))


def decoding(repeated):
    torch.manual_seed(1)
    layers = nn.Sequential(*(Attention(repeated) for _ in range(LAYERS))).to("cuda", torch.bfloat16)
    words, kept = torch.randn(TEXTS, WIDTH, device="cuda").bfloat16(), [None]

    @torch.no_grad()
    def one_round():
        kept[0] = layers(words)

    return one_round, lambda: kept[0].double().square().sum().item(), ROUNDS


run_case(lambda: decoding(True), lambda: decoding(False))
