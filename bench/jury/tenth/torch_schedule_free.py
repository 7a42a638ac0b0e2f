"""Trains 24 layers on a table with AdamW that needs no schedule of its rate.

At fault: the optimiser updates weight after weight, by nine small operations each.
The pattern is that of facebookresearch/schedule_free, pull request 10: one call of torch._foreach for all weights."""
import torch
from torch import nn

from case import run_case

ROWS, WIDTH, LAYERS, ROUNDS = 16384, 256, 24, 500
RATE, MOMENTUM, DECAY, SQUARES, EPS = 1e-5, 0.9, 0.01, 0.999, 1e-8

torch.set_float32_matmul_precision("high")


class Steps:
    """What both optimisers share: the state of all weights, and the numbers of a step."""

    def __init__(self, weights):
        self.weights, self.count, self.rates = list(weights), 0, 0.0
        self.bases = [weight.detach().clone() for weight in self.weights]
        self.squares = [torch.zeros_like(weight) for weight in self.weights]

    def numbers(self):
        self.count += 1
        rate = RATE * (1 - SQUARES ** self.count) ** 0.5
        self.rates += rate * rate
        return rate, rate * rate / self.rates


class OneByOne(Steps):
    @torch.no_grad()
    def step(self):
        rate, share = self.numbers()
        for weight, base, square in zip(self.weights, self.bases, self.squares):
            gradient = weight.grad
            square.mul_(SQUARES).addcmul_(gradient, gradient, value=1 - SQUARES)  # fault
            gradient.div_(square.sqrt().add_(EPS))  # fault
            gradient.add_(weight, alpha=DECAY)  # fault
            weight.lerp_(base, share)  # fault
            weight.add_(gradient, alpha=rate * (MOMENTUM * (1 - share) - 1))  # fault
            base.sub_(gradient, alpha=rate)  # fault


class Together(Steps):
    @torch.no_grad()
    def step(self):
        rate, share = self.numbers()
        gradients = [weight.grad for weight in self.weights]
        torch._foreach_mul_(self.squares, SQUARES)
        torch._foreach_addcmul_(self.squares, gradients, gradients, value=1 - SQUARES)
        roots = torch._foreach_sqrt(self.squares)
        torch._foreach_add_(roots, EPS)
        torch._foreach_div_(gradients, roots)
        torch._foreach_add_(gradients, self.weights, alpha=DECAY)
        torch._foreach_lerp_(self.weights, self.bases, share)
        torch._foreach_add_(self.weights, gradients, alpha=rate * (MOMENTUM * (1 - share) - 1))
        torch._foreach_sub_(self.bases, gradients, alpha=rate)


def training(optimiser_of):
    torch.manual_seed(1)
    layers = [layer for _ in range(LAYERS) for layer in (nn.Linear(WIDTH, WIDTH), nn.SELU(inplace=True))]
    net = nn.Sequential(*layers).to("cuda")
    optimiser = optimiser_of(net.parameters())
    rows, wanted = torch.randn(2, ROWS, WIDTH, device="cuda").unbind()
    kept = [None]

    def one_round():
        loss = nn.functional.mse_loss(net(rows), wanted)
        net.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        kept[0] = loss.detach()

    return one_round, lambda: kept[0].item(), ROUNDS


run_case(lambda: training(OneByOne), lambda: training(Together))
