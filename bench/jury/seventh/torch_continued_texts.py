"""Continues 64 texts by a word a round, with the keys and values of up to 512 words before.

Nothing is wrong: keys and values have their memory from the beginning, and the next words never leave the device. The weights
come from DRAM for each word, as all of them are needed and none stay in a cache.
The pattern is that of pytorch-labs/gpt-fast, generate.py, without compilation."""
import torch
from torch.nn import functional

from case import run_case

TEXTS, LENGTH, WIDTH, HEADS, LAYERS, WORDS, ROUNDS = 64, 512, 4096, 32, 4, 32768, 200


def made_weights(*shape):
    return (torch.randn(*shape, device="cuda") / shape[-1] ** 0.5).bfloat16()


def continuing():
    torch.manual_seed(1)
    words = made_weights(WORDS, WIDTH)
    layers = [(made_weights(3 * WIDTH, WIDTH), made_weights(WIDTH, WIDTH), made_weights(4 * WIDTH, WIDTH),
               made_weights(WIDTH, 4 * WIDTH)) for _ in range(LAYERS)]
    stored = torch.zeros(LAYERS, 2, TEXTS, HEADS, LENGTH, WIDTH // HEADS, device="cuda").bfloat16()
    places, place = torch.arange(LENGTH, device="cuda"), torch.zeros(1, dtype=torch.long, device="cuda")
    last = torch.randint(WORDS, (TEXTS,), device="cuda")
    used = torch.zeros(WORDS, device="cuda")

    def one_round():
        hidden = functional.embedding(last, words)
        mask = (places <= place)[None, None, None]
        for (inward, outward, up, down), own in zip(layers, stored):
            parts = functional.linear(functional.layer_norm(hidden, (WIDTH,)), inward).view(TEXTS, 3, HEADS, 1, WIDTH // HEADS)
            own[0].index_copy_(2, place, parts[:, 1])
            own[1].index_copy_(2, place, parts[:, 2])
            found = functional.scaled_dot_product_attention(parts[:, 0], own[0], own[1], attn_mask=mask)
            hidden = hidden + functional.linear(found.reshape(TEXTS, WIDTH), outward)
            inner = functional.gelu(functional.linear(functional.layer_norm(hidden, (WIDTH,)), up))
            hidden = hidden + functional.linear(inner, down)
        scores = functional.linear(functional.layer_norm(hidden, (WIDTH,)), words)
        last.copy_(scores.argmax(1))
        used.index_add_(0, last, torch.ones(TEXTS, device="cuda"))
        place.add_(1)

    return one_round, lambda: used.sum().item() + place.item(), ROUNDS


run_case(None, continuing)
