"""Trains eight feed-forward blocks on 2048 tokens a step.

At fault: each step ends with torch.cuda.empty_cache(), which frees the memory of all activations, so that the next step
allocates it from the device again while the GPU idles.
The pattern is that of huggingface/transformers, pull request 31530, which takes the call out of the training loop."""
import torch
from torch import nn

from case import run_case

TOKENS, WIDTH, BLOCKS, ROUNDS = 2048, 1024, 8, 150


def made_model():
    torch.manual_seed(1)
    blocks = nn.ModuleList(
        nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        for _ in range(BLOCKS)).to("cuda", torch.bfloat16)
    tokens, wanted = torch.randn(2, TOKENS, WIDTH, device="cuda", dtype=torch.bfloat16)
    return blocks, torch.optim.AdamW(blocks.parameters(), lr=1e-4, fused=True), tokens, wanted


def train(blocks, optimiser, tokens, wanted):
    hidden = tokens
    for block in blocks:
        hidden = hidden + block(hidden)
    loss = nn.functional.mse_loss(hidden, wanted)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()


def total_of(blocks):
    return sum(weights.detach().double().abs().sum() for weights in blocks.parameters()).item()


def emptied():
    blocks, optimiser, tokens, wanted = made_model()

    def one_round():
        train(blocks, optimiser, tokens, wanted)
        torch.cuda.empty_cache()  # fault

    return one_round, lambda: total_of(blocks), ROUNDS


def kept():
    blocks, optimiser, tokens, wanted = made_model()

    def one_round():
        train(blocks, optimiser, tokens, wanted)

    return one_round, lambda: total_of(blocks), ROUNDS


run_case(emptied, kept)
