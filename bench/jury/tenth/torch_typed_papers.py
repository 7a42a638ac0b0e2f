"""Brings two million papers, authors and places of 12 types into one space and scores them, type by type.

At fault: the result is filled with zeros, although the products of the types then write every row of it.
The pattern is that of dmlc/dgl, issue 5454: an empty result of the products of segments."""
import torch

from case import run_case

WIDTH, SCORES, ROUNDS = 128, 16, 2000
LENGTHS = [96 * 1024 + 16384 * type_ for type_ in range(12)]
ROWS = sum(LENGTHS)


def segment_products(result, rows, weights):
    begin = 0
    for length, weight in zip(LENGTHS, weights):
        part = slice(begin, begin + length)
        torch.mm(rows[part], weight, out=result[part])
        begin += length
    return result


def by_zeros(rows, weights):
    result = torch.zeros(ROWS, WIDTH, device=rows.device, dtype=rows.dtype)  # fault
    return segment_products(result, rows, weights)


def by_empty(rows, weights):
    return segment_products(torch.empty(ROWS, WIDTH, device=rows.device, dtype=rows.dtype), rows, weights)


def scoring(project):
    torch.manual_seed(1)
    rows = torch.randn(ROWS, WIDTH, device="cuda", dtype=torch.bfloat16)
    weights = (torch.randn(len(LENGTHS), WIDTH, WIDTH, device="cuda") / WIDTH ** 0.5).bfloat16().unbind()
    head, kept = torch.randn(WIDTH, SCORES, device="cuda").bfloat16(), [None, None]

    @torch.no_grad()
    def one_round():
        kept[0] = None  # its memory serves the next result
        kept[0] = project(rows, weights)
        kept[1] = kept[0] @ head

    return one_round, lambda: sum(part.double().abs().sum().item() for part in kept), ROUNDS


run_case(lambda: scoring(by_zeros), lambda: scoring(by_empty))
