"""Tells which microbes live in soil from what was sequenced: each of 8192 reads a round has 16 words of ten letters, whose
vectors are looked up and averaged, and three layers follow.

At fault: the table has vectors for all 4^10 words as halves of words, and all 537 MB of it are converted to floats in each
round, to look up 131,072 rows.
The pattern is that of RL-Align/RL-Kernel, pull request 169: rows are looked up as they are stored, and converted then."""
import torch
import torch.nn.functional as F
from torch import nn

from case import run_case

LETTERS, WORDS, READS, VALUES, WIDTH, MICROBES, SETS, ROUNDS = 4 ** 10, 16, 8192, 256, 2048, 1024, 8, 6000

torch.set_float32_matmul_precision("high")


def made_layers():
    return nn.Sequential(nn.Linear(VALUES, WIDTH), nn.ReLU(inplace=True), nn.Linear(WIDTH, WIDTH), nn.ReLU(inplace=True),
                         nn.Linear(WIDTH, WIDTH), nn.ReLU(inplace=True), nn.Linear(WIDTH, MICROBES)).to("cuda")


def looked_up_in_floats(words, table):
    return F.embedding(words, table.float()).mean(1)  # fault


def looked_up_as_stored(words, table):
    return F.embedding(words, table).mean(1, dtype=torch.float32)


def telling(vectors_of):
    torch.manual_seed(1)
    layers, table = made_layers(), torch.randn(LETTERS, VALUES, device="cuda", dtype=torch.bfloat16)
    reads, state = torch.randint(0, LETTERS, (SETS, READS, WORDS), device="cuda").unbind(), [0, None]

    @torch.no_grad()
    def one_round():
        words = reads[state[0] % SETS]
        state[:] = state[0] + 1, layers(vectors_of(words, table))  # fault

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


run_case(lambda: telling(looked_up_in_floats), lambda: telling(looked_up_as_stored))
