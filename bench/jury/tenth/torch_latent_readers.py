"""Lets 512 latent vectors read 8192 inputs for each of 16 scenes, then work among themselves for four layers.

Nothing is wrong: bfloat16 throughout, attention in one call on views of the products, and sums with what was there
before are part of the products.
The pattern is that of lucidrains/perceiver-pytorch, perceiver_pytorch/perceiver_io.py, with GELU instead of gates."""
import torch
from torch.nn import functional

from case import run_case

SCENES, INPUTS, LATENTS, READ, WIDTH, HEADS, LAYERS, ROUNDS = 16, 8192, 512, 512, 1024, 16, 4, 500
INNER = 4 * WIDTH


def made(before, after):
    return (torch.randn(before, after, device="cuda") / before ** 0.5).bfloat16()


def heads_of(product, parts):
    """Views of (scenes, heads, places, width of a head), one for each part of the product."""
    return product.view(SCENES, -1, parts, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4).unbind()


def normed(rows):
    return functional.layer_norm(rows, rows.shape[-1:])


def attended(latents, queries, keys, values, outer):
    found = functional.scaled_dot_product_attention(queries, keys, values)
    latents.addmm_(found.transpose(1, 2).reshape(-1, WIDTH), outer)


def reading():
    torch.manual_seed(1)
    inputs = torch.randn(SCENES * INPUTS, READ, device="cuda").bfloat16()
    start = torch.randn(SCENES * LATENTS, WIDTH, device="cuda").bfloat16()
    asked, read, told = made(WIDTH, WIDTH), made(READ, 2 * WIDTH), made(WIDTH, WIDTH)
    layers = [(made(WIDTH, 3 * WIDTH), made(WIDTH, WIDTH), made(WIDTH, INNER), made(INNER, WIDTH))
              for _ in range(LAYERS)]
    kept = [None]

    @torch.no_grad()
    def one_round():
        latents = start.clone()
        queries, = heads_of(normed(latents) @ asked, 1)
        keys, values = heads_of(normed(inputs) @ read, 2)
        attended(latents, queries, keys, values, told)
        for joint, outer, up, down in layers:
            attended(latents, *heads_of(normed(latents) @ joint, 3), outer)
            latents.addmm_(functional.gelu(normed(latents) @ up), down)
        kept[0] = latents

    return one_round, lambda: kept[0].double().square().sum().item(), ROUNDS


run_case(None, reading)
