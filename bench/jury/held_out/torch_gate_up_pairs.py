"""The gated activation of 8192 tokens in a feed-forward layer.

At fault: gates and values lie in pairs, as the weights were stored, so that each is read 8 bytes apart.
The pattern is that of vllm-project/vllm, pull request 27024, which brings the weights of gate and value into halves."""
import torch
from torch.nn import functional

from case import run_case

TOKENS, WIDTH, ROUNDS = 8192, 8192, 600


def made_pairs():
    torch.manual_seed(1)
    return torch.rand(TOKENS, WIDTH, 2, device="cuda")


def total_of(out):
    return (out.double() * (torch.arange(WIDTH, device="cuda") % 97)).sum().item()


def of_pairs():
    both = made_pairs().view(TOKENS, 2 * WIDTH)
    out = torch.empty(TOKENS, WIDTH, device="cuda")

    def one_round():
        gate = functional.silu(both[:, ::2])  # fault
        torch.mul(gate, both[:, 1::2], out=out)  # fault

    return one_round, lambda: total_of(out), ROUNDS


def of_halves():
    both = made_pairs().permute(2, 0, 1).contiguous()
    out = torch.empty(TOKENS, WIDTH, device="cuda")

    def one_round():
        gate = functional.silu(both[0])
        torch.mul(gate, both[1], out=out)

    return one_round, lambda: total_of(out), ROUNDS


run_case(of_pairs, of_halves)
