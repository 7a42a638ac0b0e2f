"""Looks up single values of a large table, as of a hash embedding. Repair: the indices, which stay, are sorted once."""
import torch

from case import run_case

TABLE, COUNT, ROUNDS = 1 << 26, 1 << 23, 1000


def side(arranged):
    torch.manual_seed(2)
    table = torch.rand(TABLE, device="cuda")
    index = arranged(torch.randint(TABLE, (COUNT,), device="cuda"))
    return table, index, torch.empty(COUNT, device="cuda")


def fault():
    table, index, out = side(lambda index: index)

    def one_round():
        torch.index_select(table, 0, index, out=out)  # fault

    return one_round, lambda: out.double().sum(), ROUNDS


def clean():
    table, index, out = side(lambda index: index.sort().values)

    def one_round():
        torch.index_select(table, 0, index, out=out)

    return one_round, lambda: out.double().sum(), ROUNDS


if __name__ == "__main__":
    run_case(fault, clean)
