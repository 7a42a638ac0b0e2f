"""Sorts coffee beans: each round, two layers of a network tell from the spectra of two million beans, of 256 colours
each, which of 64 tastes each bean has, and how pure and how heavy the 512 crates are into which they fall, 4096 beans
each.

One kernel goes from the spectra to the taste of a bean; what the layers tell in between stays on the multiprocessor."""
import torch
import triton
import triton.language as tl

from case import run_case

BEANS, COLOURS, INNER, TASTES, CRATE, TILE, DEPTH, SETS, ROUNDS = 1 << 21, 256, 128, 64, 4096, 128, 64, 4, 3600
CRATES = BEANS // CRATE


@triton.jit
def taste(spectra, first, bias, second, best, sure, COLOURS: tl.constexpr, INNER: tl.constexpr, TASTES: tl.constexpr,
          TILE: tl.constexpr, DEPTH: tl.constexpr):
    beans = tl.program_id(0) * TILE + tl.arange(0, TILE)
    inner, tastes, depth = tl.arange(0, INNER), tl.arange(0, TASTES), tl.arange(0, DEPTH)
    state = tl.zeros((TILE, INNER), tl.float32)
    for start in range(0, COLOURS, DEPTH):
        own = tl.load(spectra + beans[:, None] * COLOURS + (start + depth)[None, :])
        state = tl.dot(own, tl.load(first + (start + depth)[:, None] * INNER + inner[None, :]), state)
    state = tl.maximum(state + tl.load(bias + inner)[None, :], 0.0).to(tl.bfloat16)
    score = tl.dot(state, tl.load(second + inner[:, None] * TASTES + tastes[None, :]))
    top = tl.max(score, 1)
    tl.store(best + beans, tl.argmax(score, 1))
    tl.store(sure + beans, 1.0 / tl.sum(tl.exp(score - top[:, None]), 1))


@triton.jit
def weigh(best, sure, masses, values, purity, weight, CRATE: tl.constexpr):
    crate = tl.program_id(0)
    beans = crate * CRATE + tl.arange(0, CRATE)
    mass = tl.load(masses + beans)
    worth = tl.load(values + tl.load(best + beans)) * tl.load(sure + beans)
    tl.store(purity + crate, tl.sum(worth * mass, 0))
    tl.store(weight + crate, tl.sum(mass, 0))


class Mill:
    def __init__(self):
        self.number = 0
        with torch.device("cuda"):
            self.spectra = torch.empty(SETS, BEANS, COLOURS, dtype=torch.bfloat16)
            for part in self.spectra.view(8 * SETS, -1, COLOURS):
                part.normal_()
            self.first = (torch.randn(COLOURS, INNER) * COLOURS ** -0.5).to(torch.bfloat16)
            self.second = (torch.randn(INNER, TASTES) * INNER ** -0.5 * 2).to(torch.bfloat16)
            self.bias, self.values, self.masses = torch.zeros(INNER), torch.rand(TASTES), 0.1 + 0.1 * torch.rand(BEANS)
            self.best, self.sure = torch.empty(BEANS, dtype=torch.int32), torch.empty(BEANS)
            self.purity, self.weight = torch.empty(2, CRATES)
            self.price = torch.zeros((), dtype=torch.float64)

    def grind(self):
        taste[(BEANS // TILE,)](
            self.spectra[self.number % SETS], self.first, self.bias, self.second, self.best, self.sure, COLOURS=COLOURS,
            INNER=INNER, TASTES=TASTES, TILE=TILE, DEPTH=DEPTH, num_warps=8, num_stages=3)
        weigh[(CRATES,)](
            self.best, self.sure, self.masses, self.values, self.purity, self.weight, CRATE=CRATE, num_warps=8)
        self.price.add_((self.purity / self.weight).mean())
        self.number += 1


def roasting():
    torch.manual_seed(1)
    mill = Mill()
    return mill.grind, lambda: mill.price.item(), ROUNDS


run_case(None, roasting)
