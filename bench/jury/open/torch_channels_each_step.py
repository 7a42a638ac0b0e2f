"""Pools images, in the order that the network wants: channels last. Fault: they are brought to it each step.
Repair: they are kept in it."""
import torch

from case import run_case

ROUNDS = 800


def images():
    torch.manual_seed(3)
    return torch.rand(64, 64, 112, 112, device="cuda")


def fault():
    batch = images()
    kept = {}

    def one_round():
        ordered = batch.contiguous(memory_format=torch.channels_last)  # fault
        kept["out"] = torch.nn.functional.avg_pool2d(ordered, 2)

    return one_round, lambda: kept["out"][:4].double().sum(), ROUNDS


def clean():
    ordered = images().contiguous(memory_format=torch.channels_last)
    kept = {}

    def one_round():
        kept["out"] = torch.nn.functional.avg_pool2d(ordered, 2)

    return one_round, lambda: kept["out"][:4].double().sum(), ROUNDS


if __name__ == "__main__":
    run_case(fault, clean)
