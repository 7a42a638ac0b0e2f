"""Adds up the rows of a tensor in 64 groups.

At fault: `index_add_` adds each of 41 million values with an atomic to one of 4096 addresses.
The pattern is that of pytorch/pytorch, aten/src/ATen/native/cuda/Indexing.cu, as pull request 76996 measured it: many rows, few
groups. The repair is a product with the matrix of memberships."""
import torch

from case import run_case

CHUNKS, CHUNK, GROUPS, FEATURES, ROUNDS = 128, 4992, 64, 64, 200


def made_rows():
    torch.manual_seed(1)
    rows = torch.rand(CHUNKS * CHUNK, FEATURES, device="cuda")
    groups = torch.randint(GROUPS, (CHUNKS * CHUNK,), device="cuda")
    return rows, groups, torch.zeros(GROUPS, FEATURES, device="cuda")


def total_of(sums):
    return (sums.double() * torch.arange(1, GROUPS + 1, device="cuda")[:, None]).sum().item()


def by_atomics():
    rows, groups, sums = made_rows()

    def one_round():
        sums.zero_()
        sums.index_add_(0, groups, rows)  # fault

    return one_round, lambda: total_of(sums), ROUNDS


def by_product():
    rows, groups, sums = made_rows()
    members = torch.nn.functional.one_hot(groups, GROUPS).float().view(CHUNKS, CHUNK, GROUPS)
    chunks = rows.view(CHUNKS, CHUNK, FEATURES)

    def one_round():
        torch.sum(torch.bmm(members.transpose(1, 2), chunks), dim=0, out=sums)

    return one_round, lambda: total_of(sums), ROUNDS


run_case(by_atomics, by_product)
