"""Adds a residual to activations that are a transposed view. Repair: the operand is brought to the other's order once."""
import torch

from case import run_case

ROWS, COLUMNS, ROUNDS = 8192, 6144, 1000


def activations():
    torch.manual_seed(1)
    return torch.rand(COLUMNS, ROWS, device="cuda").t(), torch.rand(ROWS, COLUMNS, device="cuda")


def fault():
    turned, residual = activations()
    out = torch.empty_like(residual)

    def one_round():
        torch.add(residual, turned, out=out)  # fault

    return one_round, lambda: out[:100].double().sum(), ROUNDS


def clean():
    turned, residual = activations()
    straight = turned.contiguous()
    del turned
    out = torch.empty_like(residual)

    def one_round():
        torch.add(residual, straight, out=out)

    return one_round, lambda: out[:100].double().sum(), ROUNDS


if __name__ == "__main__":
    run_case(fault, clean)
