"""Looks for new ways to walk: each round looks at 32 gaits of a robot, and tells how unlike each is to the nearest of all gaits
that came before.

At fault: the archive of gaits grows by torch.cat, so each round copies all of it, 67 to 134 MB, to add 16 KB.
The pattern is that of ml-explore/mlx, pull request 4019, and ulissigroup/amptorch, issue 12 and pull request 13: room for all
is allocated once, and then filled."""
import torch
import torch.nn.functional as F

from case import run_case

FIRST, GAITS, TRAITS, STEPS, ROUNDS = 131072, 32, 128, 4096, 45000

torch.set_float32_matmul_precision("high")


def made_gaits(count):
    """Traits of gaits, each of length 1."""
    return F.normalize(torch.randn(count, TRAITS, device="cuda"))


class Grown:
    def __init__(self, first):
        self.first = first

    def begin(self):
        self.known = self.first

    def add(self, gaits):
        self.known = torch.cat((self.known, gaits))  # fault


class Filled:
    def __init__(self, first):
        self.room = torch.empty(FIRST + STEPS * GAITS, TRAITS, device="cuda")
        self.room[:FIRST] = first

    def begin(self):
        self.known = self.room[:FIRST]

    def add(self, gaits):
        before = len(self.known)
        self.room[before:before + GAITS] = gaits
        self.known = self.room[:before + GAITS]


def searching(made):
    torch.manual_seed(1)
    archive, gaits = made(made_gaits(FIRST)), made_gaits(STEPS * GAITS).split(GAITS)
    nearest, state = torch.zeros(GAITS, device="cuda"), [0]

    @torch.no_grad()
    def one_round():
        step = state[0] % STEPS
        if step == 0:
            archive.begin()
        nearest.add_((gaits[step] @ archive.known.t()).amax(1))
        archive.add(gaits[step])  # fault
        state[0] += 1

    return one_round, lambda: 1 - nearest.double().mean().item() / state[0], ROUNDS


run_case(lambda: searching(Grown), lambda: searching(Filled))
