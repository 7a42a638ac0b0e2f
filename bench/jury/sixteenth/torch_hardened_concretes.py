"""Learns how strong concrete becomes: a network of 12 blocks is trained on 6144 mixes a round, and gradients that are too large
are made shorter.

At fault: the length of the gradients is summed on the host, so each of 76 tensors is copied by itself and waited for in each
round, while the GPU idles; the library finds the length on the GPU and waits for nothing.
The pattern is that of pytorch/pytorch, issue 31474, and SeonghwanSeo/kfold, pull request 195: lengths of gradients without a
number that the host reads for each tensor."""
import torch
from torch import nn

from case import run_case

MIXES, PARTS, WIDTH, BLOCKS, LONGEST, SETS, ROUNDS = 6144, 32, 1024, 12, 0.1, 8, 800

torch.set_float32_matmul_precision("high")


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))

    def forward(self, found):
        return found + self.layers(found)


def made_network():
    blocks = [Block() for _ in range(BLOCKS)]
    return nn.Sequential(nn.Linear(PARTS, WIDTH), *blocks, nn.Linear(WIDTH, 1)).to("cuda")


def made_mixes():
    """Parts of each mix, and its strength, which is measured with errors."""
    mixes = torch.randn(SETS, MIXES, PARTS, device="cuda")
    strengths = torch.tanh(mixes @ torch.randn(PARTS, 1, device="cuda") / PARTS ** 0.5)
    return mixes, strengths + 0.3 * torch.randn_like(strengths)


@torch.no_grad()
def shorten_by_host(weights):
    squares = 0.0
    for weight in weights:
        squares += weight.grad.norm().item() ** 2  # fault
    share = LONGEST / (squares ** 0.5 + 1e-6)
    if share < 1:
        torch._foreach_mul_([weight.grad for weight in weights], share)


def shorten_on_device(weights):
    nn.utils.clip_grad_norm_(weights, LONGEST)


def hardening(shorten):
    torch.manual_seed(1)
    network, (mixes, strengths) = made_network(), made_mixes()
    weights, number, losses = list(network.parameters()), [0], torch.zeros((), device="cuda")
    optimiser = torch.optim.AdamW(weights, lr=1e-7, fused=True)

    def one_round():
        own = number[0] % SETS
        loss = nn.functional.mse_loss(network(mixes[own]), strengths[own])
        optimiser.zero_grad()
        loss.backward()
        shorten(weights)  # fault
        optimiser.step()
        losses.add_(loss.detach())
        number[0] += 1

    return one_round, lambda: losses.item(), ROUNDS


run_case(lambda: hardening(shorten_by_host), lambda: hardening(shorten_on_device))
