"""Trains 12 blocks with gradients that are made orthogonal to their weights.

At fault: sub takes its factor as a number of the host, so each weight waits for a value from the device.
The pattern is that of Koratahiu/Advanced_Optimizers, pull request 5: the factor stays on the device."""
import torch
from torch import nn

from case import run_case

ROWS, WIDTH, INNER, BLOCKS, ROUNDS = 512, 2048, 4096, 12, 400

torch.set_float32_matmul_precision("high")


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(WIDTH, INNER, bias=False), nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, hidden):
        return hidden + self.second(torch.relu(self.first(hidden)))


def by_number(gradient, weight, share):
    gradient.sub_(weight, alpha=share)  # fault


def by_tensor(gradient, weight, share):
    gradient.addcmul_(weight, share, value=-1)


def training(take_away):
    torch.manual_seed(1)
    net = nn.Sequential(*(Block() for _ in range(BLOCKS))).to("cuda")
    weights = list(net.parameters())
    optimiser = torch.optim.SGD(weights, lr=1e-4, fused=True)
    rows = torch.randn(ROWS, WIDTH, device="cuda")
    wanted, kept = torch.randn(ROWS, WIDTH, device="cuda"), [None]

    @torch.no_grad()
    def make_orthogonal():
        for weight in weights:
            flat, gradient = weight.view(-1), weight.grad.view(-1)
            share = torch.dot(flat, gradient) / torch.dot(flat, flat)
            take_away(gradient, flat, share)

    def one_round():
        loss = nn.functional.mse_loss(net(rows), wanted)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        make_orthogonal()
        optimiser.step()
        kept[0] = loss.detach()

    return one_round, lambda: kept[0].item(), ROUNDS


run_case(lambda: training(by_number), lambda: training(by_tensor))
