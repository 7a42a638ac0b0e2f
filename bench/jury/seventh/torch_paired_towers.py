"""Trains two towers, for 4096 pictures and their texts a step, to tell which belong together.

Nothing is wrong: the scores of all pairs are one product, and both losses come from it.
The pattern is that of mlfoundations/open_clip, src/open_clip/loss.py, on one device."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PAIRS, INWARD, WIDTH, SHARED, ROUNDS = 4096, 1024, 2048, 512, 160


def made_tower():
    return nn.Sequential(nn.Linear(INWARD, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, SHARED))


def training():
    torch.manual_seed(1)
    towers = nn.ModuleList([made_tower(), made_tower()]).to("cuda", torch.bfloat16)
    scale = nn.Parameter(torch.tensor(2.66, device="cuda"))
    optimiser = torch.optim.AdamW([*towers.parameters(), scale], lr=1e-4, foreach=True)
    pictures, texts = (torch.randn(PAIRS, INWARD, device="cuda").bfloat16() for _ in range(2))
    own, last = torch.arange(PAIRS, device="cuda"), [None]

    def one_round():
        one = functional.normalize(towers[0](pictures), dim=1)
        other = functional.normalize(towers[1](texts), dim=1)
        scores = scale.exp().bfloat16() * one @ other.t()
        loss = (functional.cross_entropy(scores, own) + functional.cross_entropy(scores.t(), own)) / 2
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        last[0] = loss.detach()

    return one_round, lambda: last[0].item(), ROUNDS


run_case(None, training)
