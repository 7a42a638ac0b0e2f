"""Learns how old manuscripts are from 4096 measures of their letters: three wide layers, trained by momentum on 256 pages a
round.

At fault: the gradients, 1.1 GB, are filled with zeros in each round, so the backward pass has to read them and to add to them,
instead of handing over what it found; gradients can be given up (None, which is the default).
The pattern is that of pytorch/pytorch, pull request 92731, and tenstorrent/tt-metal, pull request 43629: gradients that are
given up instead of zeros."""
import torch
from torch import nn

from case import run_case

PAGES, SIZES, SETS, ROUNDS = 256, (4096, 16384, 8192, 8192), 16, 1300

torch.set_float32_matmul_precision("high")


def made_network():
    parts = [part for before, after in zip(SIZES, SIZES[1:]) for part in (nn.Linear(before, after), nn.ReLU(inplace=True))]
    return nn.Sequential(*parts, nn.Linear(SIZES[-1], 1)).to("cuda")


def made_pages():
    """Measures of each page, and its age, which is not known exactly."""
    pages = torch.randn(SETS, PAGES, SIZES[0], device="cuda")
    ages = pages[..., :64].mean(2, keepdim=True) * 8
    return pages, ages + 0.5 * torch.randn_like(ages)


def filled_anew(optimiser):
    optimiser.zero_grad(set_to_none=False)  # fault


def given_up(optimiser):
    optimiser.zero_grad(set_to_none=True)


def dating(cleared):
    torch.manual_seed(1)
    network, (pages, ages) = made_network(), made_pages()
    optimiser = torch.optim.SGD(network.parameters(), lr=1e-3, momentum=0.9, fused=True)
    number, losses = [0], torch.zeros((), device="cuda")

    def one_round():
        own = number[0] % SETS
        cleared(optimiser)  # fault
        loss = nn.functional.mse_loss(network(pages[own]), ages[own])
        loss.backward()  # fault
        optimiser.step()
        losses.add_(loss.detach())
        number[0] += 1

    return one_round, lambda: losses.item(), ROUNDS


run_case(lambda: dating(filled_anew), lambda: dating(given_up))
