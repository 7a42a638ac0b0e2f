"""Codes sounds: 131,072 frames of features a round become eight numbers each; each book of codes takes what the last one left.

At fault: the chosen code is a product of the book with a table of 537 MB, which is filled with zeros and has a single one in
each row.
The pattern is that of HorizonRobotics/alf, pull request 1409, and apple/axlearn, pull request 823: the code is looked up by
its number."""
import torch
import torch.nn.functional as F

from case import run_case

FRAMES, WIDTH, CODES, BOOKS, FINER, BATCHES, ROUNDS = 131072, 64, 1024, 8, 0.7, 4, 500

torch.set_float32_matmul_precision("high")


def made_books():
    """Codes, and what tells their distances: their squares, and minus two of each, turned. The codes have few bits, so that a
    product with a one is exact."""
    books = []
    for number in range(BOOKS):
        codes = (FINER ** number * torch.randn(CODES, WIDTH, device="cuda")).bfloat16().float()
        books.append((codes, codes.square().sum(1), (-2 * codes).t()))
    return books


def multiplied(codes, places):
    chosen = torch.zeros(FRAMES, CODES, device="cuda")  # fault
    chosen.scatter_(1, places.unsqueeze(1), 1)  # fault
    return chosen @ codes  # fault


def looked_up(codes, places):
    return F.embedding(places, codes)


def coding(code_of):
    torch.manual_seed(1)
    books, frames = made_books(), torch.randn(BATCHES, FRAMES, WIDTH, device="cuda").mul_(2).unbind()
    state = [0, None, None]

    @torch.no_grad()
    def one_round():
        left = frames[state[0] % BATCHES]
        for codes, squares, turned in books:
            places = torch.addmm(squares, left, turned).argmin(1)
            left = left - code_of(codes, places)  # fault
        state[:] = state[0] + 1, left, places

    return one_round, lambda: state[1].double().square().sum().item() + state[2].double().mean().item(), ROUNDS


run_case(lambda: coding(multiplied), lambda: coding(looked_up))
