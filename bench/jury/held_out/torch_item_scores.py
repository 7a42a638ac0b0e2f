"""Scores of 65,536 visitors by a model with eight tables of features.

Nothing is wrong: a row of a table is 512 bytes, which a warp reads in order, and the rest are products of the library.
The pattern is that of facebookresearch/dlrm, dlrm_s_pytorch.py."""
import torch
from torch import nn

from case import run_case

VISITORS, TABLES, ITEMS, OWN, WIDTH, ROUNDS = 65536, 8, 100000, 4, 128, 250


def scoring():
    torch.manual_seed(1)
    tables = nn.ModuleList(nn.EmbeddingBag(ITEMS, WIDTH, mode="sum", device="cuda") for _ in range(TABLES))
    top = nn.Sequential(nn.Linear(TABLES * WIDTH, 512), nn.ReLU(), nn.Linear(512, 1)).to("cuda")
    items = torch.randint(ITEMS, (TABLES, VISITORS, OWN), device="cuda")
    results = [None]

    def one_round():
        with torch.no_grad():
            found = torch.cat([table(own) for table, own in zip(tables, items)], dim=1)
            results[0] = top(found)

    return one_round, lambda: results[0].double().abs().sum().item(), ROUNDS


run_case(None, scoring)
