"""Learns vectors of 600,000 songs, so that songs that are played after each other are alike: 32,768 songs a step, each with
one that was played next and five that were not.

At fault: a step touches a third of the songs at most, but its gradients are tables of all songs, 307 MB each, which are filled
with zeros and added to all vectors.
The pattern is that of pytorch/pytorch, issue 5309, and neubig/nn4nlp-code, pull request 26: sparse gradients for large
tables."""
import torch
import torch.nn.functional as F
from torch import nn

from case import run_case

SONGS, WIDTH, PLAYED, OTHERS, BATCHES, RATE, ROUNDS = 600000, 128, 32768, 6, 8, 0.05, 2200


def made_tables(sparse):
    tables = [nn.Embedding(SONGS, WIDTH, sparse=sparse, device="cuda") for _ in range(2)]  # fault
    for table in tables:
        nn.init.normal_(table.weight, std=0.1)
    return tables


def learning(sparse):
    torch.manual_seed(1)
    own, next_ones = made_tables(sparse)
    played = torch.randint(0, SONGS, (BATCHES, PLAYED), device="cuda").unbind()
    others = torch.randint(0, SONGS, (BATCHES, PLAYED, OTHERS), device="cuda").unbind()
    wanted = torch.zeros(PLAYED, OTHERS, device="cuda")
    wanted[:, 0] = 1
    optimiser, state = torch.optim.SGD([own.weight, next_ones.weight], lr=RATE), [0, None]

    def one_round():
        batch = state[0] % BATCHES
        scores = torch.bmm(next_ones(others[batch]), own(played[batch]).unsqueeze(2)).squeeze(2)
        loss = F.binary_cross_entropy_with_logits(scores, wanted, reduction="sum")
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # fault
        optimiser.step()  # fault
        state[:] = state[0] + 1, loss.detach()

    def total():
        lengths = [table.weight.detach().double().square().mean().item() for table in (own, next_ones)]
        return sum(lengths) + state[1].item() / PLAYED

    return one_round, total, ROUNDS


run_case(lambda: learning(False), lambda: learning(True))
