"""Trains a network of 32 layers on 4096 records a step, and checks that all gradients are finite.

At fault: the host asks for each gradient on its own and waits for the answer, 128 times a step.
The pattern is that of HyperGAN/HyperGAN, pull request 355: the flags stay on the device, and one read a phase is left of 103.
Here the host reads once in 20 steps."""
import torch
from torch import nn

from case import run_case

RECORDS, WIDTH, LAYERS, EACH, ROUNDS = 4096, 1024, 32, 20, 120

torch.set_float32_matmul_precision("high")


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.linear = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, hidden):
        return hidden + 0.1 * torch.relu(self.linear(self.norm(hidden)))


class Training:
    def __init__(self):
        torch.manual_seed(1)
        self.model = nn.Sequential(*(Layer() for _ in range(LAYERS))).to("cuda")
        self.optimiser = torch.optim.SGD(self.model.parameters(), lr=1e-3, foreach=True)
        self.records, self.wanted = (torch.randn(RECORDS, WIDTH, device="cuda") for _ in range(2))

    def find_gradients(self):
        self.optimiser.zero_grad(set_to_none=True)
        (self.model(self.records) - self.wanted).square().mean().backward()
        return [weights.grad for weights in self.model.parameters()]

    def total(self):
        return sum(weights.detach().double().abs().sum() for weights in self.model.parameters()).item()


def one_by_one():
    training = Training()

    def one_round():
        for gradient in training.find_gradients():
            if not torch.isfinite(gradient).all():  # fault
                raise ValueError("a gradient is not finite")
        training.optimiser.step()

    return one_round, training.total, ROUNDS


def all_at_once():
    training, number = Training(), [0]
    finite = torch.ones((), dtype=torch.bool, device="cuda")

    def one_round():
        norms = torch.stack(torch._foreach_norm(training.find_gradients()))
        finite.logical_and_(torch.isfinite(norms.sum()))
        training.optimiser.step()
        number[0] += 1
        if number[0] % EACH == 0 and not finite.item():
            raise ValueError("a gradient is not finite")

    return one_round, training.total, ROUNDS


run_case(one_by_one, all_at_once)
