"""Puts eight planes of 4 million values together.

At fault: they are stacked along the last axis, so that neighbouring lanes store 32 bytes apart.
The pattern is that of pytorch/pytorch, pull request 151818, which says that writes are not coalesced where the last axis of
what is put together is short. The repair stacks the planes along the first axis."""
import torch

from case import run_case

PLANES, SIZE, ROUNDS = 8, 4 << 20, 1500


def made_planes():
    torch.manual_seed(1)
    return [torch.rand(SIZE, device="cuda") for _ in range(PLANES)]


def total_of(out, axis):
    weights = torch.arange(1, PLANES + 1, device="cuda", dtype=torch.float64)
    return (out.double().sum(1 - axis) * weights).sum().item()


def along_last():
    planes, out = made_planes(), torch.empty(SIZE, PLANES, device="cuda")

    def one_round():
        torch.stack(planes, dim=-1, out=out)  # fault

    return one_round, lambda: total_of(out, 1), ROUNDS


def along_first():
    planes, out = made_planes(), torch.empty(PLANES, SIZE, device="cuda")

    def one_round():
        torch.stack(planes, dim=0, out=out)

    return one_round, lambda: total_of(out, 0), ROUNDS


run_case(along_last, along_first)
