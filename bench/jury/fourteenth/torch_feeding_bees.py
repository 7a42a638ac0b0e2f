"""Guesses which bees feed each other: in 16 hives of 256 bees, a network of three layers scores each bee with each other one.

At fault: to score all pairs, the bees are repeated 256 times, twice, and joined, which stores 2 GB of copies before the first
product; its weights can be applied to bees instead of pairs.
The pattern is that of diegoantognini/pyGAT, pull request 63: the sum of two products by broadcasting, which needs less memory
and is faster; dmlc/dgl, issue 963, has the same without copies of nodes."""
import torch
import torch.nn.functional as F

from case import run_case

HIVES, BEES, TRAITS, WIDTH, SETS, ROUNDS = 16, 256, 128, 128, 8, 3000

torch.set_float32_matmul_precision("high")


def made_weights():
    sizes = (WIDTH, 2 * TRAITS), (WIDTH,), (WIDTH, WIDTH), (WIDTH,), (WIDTH,)
    return [torch.randn(size, device="cuda") / size[-1] ** 0.5 for size in sizes]


def repeated(bees, weights, bias):
    own = bees.unsqueeze(2).repeat(1, 1, BEES, 1)  # fault
    other = bees.unsqueeze(1).repeat(1, BEES, 1, 1)  # fault
    return F.linear(torch.cat((own, other), 3), weights, bias)  # fault


def broadcast(bees, weights, bias):
    own, other = weights.chunk(2, 1)
    return F.linear(bees, own, bias).unsqueeze(2) + F.linear(bees, other).unsqueeze(1)


def guessing(first_layer):
    torch.manual_seed(1)
    (*first, second, bias, last), hives = made_weights(), torch.randn(SETS, HIVES, BEES, TRAITS, device="cuda").unbind()
    state = [0, None]

    @torch.no_grad()
    def one_round():
        hidden = first_layer(hives[state[0] % SETS], *first).relu_()  # fault
        hidden = F.linear(hidden, second, bias).relu_()
        state[1] = (hidden @ last).softmax(2)
        state[0] += 1

    return one_round, lambda: state[1].double().square().sum().item(), ROUNDS


run_case(lambda: guessing(repeated), lambda: guessing(broadcast))
