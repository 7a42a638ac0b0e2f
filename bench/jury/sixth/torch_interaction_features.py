"""Scores of 16,384 visits by a recommender: sums of 16 rows in each of eight tables, products of all pairs, and perceptrons.

Nothing is wrong: rows anywhere in the tables are fetched, but a row has 512 bytes, and one kernel fetches and adds them.
The pattern is that of facebookresearch/dlrm, dlrm_s_pytorch.py."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

VISITS, TABLES, ROWS, WIDTH, TOGETHER, DENSE, HIDDEN, ROUNDS = 16384, 8, 500000, 128, 16, 64, 512, 250

torch.set_float32_matmul_precision("high")


def scoring():
    torch.manual_seed(1)
    tables = [torch.randn(ROWS, WIDTH, device="cuda") / TOGETHER for _ in range(TABLES)]
    chosen = torch.randint(ROWS, (TABLES, VISITS * TOGETHER), device="cuda")
    firsts = torch.arange(0, VISITS * TOGETHER, TOGETHER, device="cuda")
    dense = torch.randn(VISITS, DENSE, device="cuda")
    pairs = torch.tril_indices(TABLES + 1, TABLES + 1, -1, device="cuda")
    places = pairs[0] * (TABLES + 1) + pairs[1]
    bottom = nn.Sequential(nn.Linear(DENSE, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, WIDTH), nn.ReLU())
    top = nn.Sequential(nn.Linear(WIDTH + places.numel(), HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))
    for part in (bottom, top):
        part.to("cuda").requires_grad_(False)
    results = [None]

    def one_round():
        own = bottom(dense)
        sums = [functional.embedding_bag(rows, table, firsts, mode="sum") for rows, table in zip(chosen, tables)]
        features = torch.stack([own, *sums], 1)
        products = torch.bmm(features, features.transpose(1, 2)).flatten(1)
        results[0] = top(torch.cat([own, products.index_select(1, places)], 1))

    return one_round, lambda: results[0].double().abs().sum().item(), ROUNDS


run_case(None, scoring)
