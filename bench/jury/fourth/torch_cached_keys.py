"""A step of decoding for 64 sequences, with 2048 keys and values of each in a cache of fixed size.

Nothing is wrong: the cache is written in place, and one kernel of the library reads it once.
The pattern is that of meta-pytorch/gpt-fast, model.py."""
import torch
from torch.nn import functional

from case import run_case

SEQUENCES, HEADS, CONTEXT, WIDTH, ROUNDS = 64, 8, 2048, 128, 3000
HIDDEN = HEADS * WIDTH


def decoding():
    torch.manual_seed(1)

    def made(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.half)

    start = made(SEQUENCES, HIDDEN)
    keys, values = (made(SEQUENCES, HEADS, CONTEXT, WIDTH) for _ in range(2))
    inward, outward = made(3 * HIDDEN, HIDDEN) / 32, made(HIDDEN, HIDDEN) / 32
    up, down = made(4 * HIDDEN, HIDDEN) / 32, made(HIDDEN, 4 * HIDDEN) / 64
    results, position = [None], [0]

    def one_round():
        query, key, value = functional.linear(start, inward).view(SEQUENCES, 3, HEADS, WIDTH).unbind(1)
        keys[:, :, position[0]] = key
        values[:, :, position[0]] = value
        position[0] = (position[0] + 1) % CONTEXT
        found = functional.scaled_dot_product_attention(query.unsqueeze(2), keys, values)
        hidden = start + functional.linear(found.reshape(SEQUENCES, HIDDEN), outward)
        results[0] = hidden + functional.linear(functional.gelu(functional.linear(hidden, up)), down)

    return one_round, lambda: results[0].double().abs().mean().item(), ROUNDS


run_case(None, decoding)
