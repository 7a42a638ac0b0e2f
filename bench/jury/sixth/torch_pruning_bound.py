"""Trains four layers on 65,536 records a step and sets the smaller half of their million weights to zero.

At fault: the bound comes from torch.kthvalue, which lets one block search through all weights.
The pattern is that of pytorch/pytorch, issue 75599, where sorting 100 million values is 20 times as fast."""
import torch
from torch import nn

from case import run_case

RECORDS, WIDTH, LAYERS, ROUNDS = 65536, 512, 4, 100
KEPT = 2  # one of so many

torch.set_float32_matmul_precision("high")


def made_training():
    torch.manual_seed(1)
    layers = [nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(LAYERS)]
    model = nn.Sequential(*(part for layer in layers for part in (layer, nn.GELU()))).to("cuda")
    weights = list(model.parameters())
    records, wanted = torch.randn(2, RECORDS, WIDTH, device="cuda")
    return model, weights, torch.optim.SGD(weights, lr=0.1), records, wanted


def train(model, optimiser, records, wanted):
    loss = nn.functional.mse_loss(model(records), wanted)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()


def sizes_of(weights):
    return torch.cat([each.detach().abs().flatten() for each in weights])


def prune(weights, bound):
    with torch.no_grad():
        for each in weights:
            each.mul_(each.abs() > bound)


def total_of(weights):
    return sum(each.detach().double().abs().sum() for each in weights).item()


def by_one_block():
    model, weights, optimiser, records, wanted = made_training()

    def one_round():
        train(model, optimiser, records, wanted)
        sizes = sizes_of(weights)
        prune(weights, torch.kthvalue(sizes, sizes.numel() // KEPT).values)  # fault

    return one_round, lambda: total_of(weights), ROUNDS


def by_sorting():
    model, weights, optimiser, records, wanted = made_training()

    def one_round():
        train(model, optimiser, records, wanted)
        sizes = sizes_of(weights)
        prune(weights, torch.sort(sizes).values[sizes.numel() // KEPT - 1])

    return one_round, lambda: total_of(weights), ROUNDS


run_case(by_one_block, by_sorting)
