"""Adds the shortcut of a residual block to the result of its convolutions.

At fault: the shortcut has its channels last and the other operand has them first, so that neighbouring lanes read words of the
shortcut that lie 1 KB apart.
The pattern is that of pytorch/pytorch, issue 45604: pointwise operations on tensors in memory formats that differ."""
import torch

from case import run_case

SHAPE, ROUNDS = (32, 256, 56, 56), 1500


def side_of(memory_format):
    def make():
        torch.manual_seed(1)
        features = torch.rand(SHAPE, device="cuda")
        shortcut = torch.rand(SHAPE, device="cuda").contiguous(memory_format=memory_format)
        out = torch.empty_like(features)

        def one_round():
            torch.add(features, shortcut, out=out)  # fault

        weights = torch.arange(SHAPE[3], device="cuda", dtype=torch.float64)
        return one_round, lambda: (out[3, :7, :9].double() * weights).sum().item(), ROUNDS

    return make


run_case(side_of(torch.channels_last), side_of(torch.contiguous_format))
