"""Trains a network with 0.4 billion weights to tell spectra from the parameters of stars, 256 stars a step.

At fault: the gradients are filled with zeros in each step, and what the backward pass finds is added to the zeros, so 16
bytes a weight move for nothing.
The pattern is that of MIC-DKFZ/nnUNet, pull request 1630: gradients are set to none."""
import torch
from torch import nn

from case import run_case

STARS, PARAMETERS, WIDTH, LAYERS, BATCHES, RATE, ROUNDS = 256, 64, 8192, 6, 8, 1e-5, 600

torch.set_float32_matmul_precision("high")


def made_network():
    layers = [nn.Linear(PARAMETERS, WIDTH, bias=False)]
    for _ in range(LAYERS):
        layers += [nn.SiLU(), nn.Linear(WIDTH, WIDTH, bias=False)]
    return nn.Sequential(*layers)


def made_stars():
    """Parameters of stars, and spectra with lines whose depths depend on them."""
    stars = torch.randn(BATCHES, STARS, PARAMETERS, device="cuda")
    lines = torch.rand(PARAMETERS, WIDTH, device="cuda") ** 8
    return stars.unbind(), torch.exp(-torch.sigmoid(stars) @ lines / 8).unbind()


def training(to_none):
    torch.manual_seed(1)
    with torch.device("cuda"):
        network = made_network()
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE, fused=True)
    (stars, spectra), state = made_stars(), [0, None]

    def one_round():
        batch = state[0] % BATCHES
        loss = nn.functional.mse_loss(network(stars[batch]), spectra[batch])
        optimiser.zero_grad(set_to_none=to_none)  # fault
        loss.backward()  # fault
        optimiser.step()
        state[0] += 1
        state[1] = loss.detach()

    return one_round, lambda: state[1].double().item(), ROUNDS


run_case(lambda: training(False), lambda: training(True))
