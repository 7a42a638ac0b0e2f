"""Learns what flats cost: each round draws 16384 of a million flats, each with 256 features, and trains a network of four wide
layers by one step of AdamW.

Nothing is wrong: the table lies on the GPU, and so do the numbers of the flats that are drawn; rows of a kilobyte are gathered
whole, the optimiser is one fused kernel, and losses are summed on the GPU, so the host never waits.
The pattern is that of pytorch/pytorch, pull request 10260, where rows of a table in memory are taken by index_select instead of
one by one."""
import torch
from torch import nn

from case import run_case

FLATS, FEATURES, BATCH, WIDTH, LAYERS, ROUNDS = 1 << 20, 256, 16384, 1024, 4, 2600

torch.set_float32_matmul_precision("high")


def made_network():
    sizes = [FEATURES] + LAYERS * [WIDTH]
    parts = [part for before, after in zip(sizes, sizes[1:]) for part in (nn.Linear(before, after), nn.ReLU(inplace=True))]
    return nn.Sequential(*parts, nn.Linear(WIDTH, 1)).to("cuda")


def made_flats():
    """Features of all flats, and what they cost, which is known roughly."""
    features = torch.randn(FLATS, FEATURES, device="cuda")
    prices = torch.sin(features[:, :16].sum(1, keepdim=True) / 4) + features[:, 16:17]
    return features, prices + 0.2 * torch.randn_like(prices)


def pricing():
    torch.manual_seed(1)
    network, (features, prices) = made_network(), made_flats()
    optimiser = torch.optim.AdamW(network.parameters(), lr=3e-4, fused=True)
    losses = torch.zeros((), device="cuda")

    def one_round():
        drawn = torch.randint(FLATS, (BATCH,), device="cuda")
        found = network(features.index_select(0, drawn))
        loss = nn.functional.mse_loss(found, prices.index_select(0, drawn))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.add_(loss.detach())

    return one_round, lambda: losses.item(), ROUNDS


run_case(None, pricing)
