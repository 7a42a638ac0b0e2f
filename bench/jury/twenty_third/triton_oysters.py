"""Grades oysters by their X-ray profiles: each round, a gated network of two layers looks at 262144 profiles of 128
points, tells which of 32 grades each oyster has, and adds up the meat of each crate of 512 oysters.

Products are those of the library; what is between them (sums with norms, gates, grades) is one Triton kernel each."""
import torch
import triton
import triton.language as tl

from case import run_case

OYSTERS, POINTS, WIDTH, INNER, LAYERS, GRADES, CRATE = 1 << 18, 128, 512, 1024, 2, 32, 512
TILE, SETS, ROUNDS = 8, 3, 420
CRATES = OYSTERS // CRATE


@triton.jit
def norm(state, weight, told, WIDTH: tl.constexpr, TILE: tl.constexpr):
    rows, columns = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, WIDTH)
    places = rows[:, None] * WIDTH + columns[None, :]
    own = tl.load(state + places).to(tl.float32)
    scale = tl.rsqrt(tl.sum(own * own, 1) / WIDTH + 1e-6)
    tl.store(told + places, (own * scale[:, None] * tl.load(weight + columns)[None, :]).to(tl.bfloat16))


@triton.jit
def add_norm(state, change, weight, told, WIDTH: tl.constexpr, TILE: tl.constexpr):
    """The state changes in place, and its norm is kept beside it."""
    rows, columns = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, WIDTH)
    places = rows[:, None] * WIDTH + columns[None, :]
    own = tl.load(state + places).to(tl.float32) + tl.load(change + places).to(tl.float32)
    scale = tl.rsqrt(tl.sum(own * own, 1) / WIDTH + 1e-6)
    tl.store(state + places, own.to(tl.bfloat16))
    tl.store(told + places, (own * scale[:, None] * tl.load(weight + columns)[None, :]).to(tl.bfloat16))


@triton.jit
def gate(both, told, INNER: tl.constexpr, TILE: tl.constexpr):
    """Half of a row says how much of the other half goes on."""
    rows, columns = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, INNER)
    start = rows[:, None] * (2 * INNER) + columns[None, :]
    much = tl.load(both + start).to(tl.float32)
    other = tl.load(both + start + INNER).to(tl.float32)
    tl.store(told + rows[:, None] * INNER + columns[None, :], (much * tl.sigmoid(much) * other).to(tl.bfloat16))


@triton.jit
def grade(scores, prices, masses, meat, worth, GRADES: tl.constexpr, CRATE: tl.constexpr):
    """A program has a crate."""
    crate, grades = tl.program_id(0), tl.arange(0, GRADES)
    oysters = crate * CRATE + tl.arange(0, CRATE)
    score = tl.load(scores + oysters[:, None] * GRADES + grades[None, :]).to(tl.float32)
    share = tl.exp(score - tl.max(score, 1)[:, None])
    share = share / tl.sum(share, 1)[:, None]
    mass = tl.load(masses + oysters)
    value = tl.sum(share * tl.load(prices + grades)[None, :], 1)
    tl.store(meat + crate, tl.sum(mass, 0))
    tl.store(worth + crate, tl.sum(mass * value, 0))


def weights(inputs, outputs):
    return (torch.randn(inputs, outputs, device="cuda") * inputs ** -0.5).to(torch.bfloat16)


class Grader:
    def __init__(self):
        with torch.device("cuda"):
            self.profiles = torch.randn(SETS, OYSTERS, POINTS, dtype=torch.bfloat16)
            self.masses, self.prices = 0.05 + 0.05 * torch.rand(OYSTERS), torch.rand(GRADES)
            self.scales = [torch.ones(WIDTH) for _ in range(LAYERS + 1)]
            self.state, self.change, self.normal = torch.empty(3, OYSTERS, WIDTH, dtype=torch.bfloat16)
            self.both = torch.empty(OYSTERS, 2 * INNER, dtype=torch.bfloat16)
            self.inner = torch.empty(OYSTERS, INNER, dtype=torch.bfloat16)
            self.scores = torch.empty(OYSTERS, GRADES, dtype=torch.bfloat16)
            self.meat, self.worth = torch.empty(2, CRATES)
            self.price = torch.zeros((), dtype=torch.float64)
        self.start, self.head = weights(POINTS, WIDTH), weights(WIDTH, GRADES)
        self.layers = [(weights(WIDTH, 2 * INNER), weights(INNER, WIDTH)) for _ in range(LAYERS)]
        self.number = 0

    def look(self):
        torch.mm(self.profiles[self.number % SETS], self.start, out=self.state)
        norm[(OYSTERS // TILE,)](self.state, self.scales[0], self.normal, WIDTH=WIDTH, TILE=TILE, num_warps=8)
        for (up, down), scale in zip(self.layers, self.scales[1:]):
            torch.mm(self.normal, up, out=self.both)
            gate[(OYSTERS // TILE,)](self.both, self.inner, INNER=INNER, TILE=TILE, num_warps=8)
            torch.mm(self.inner, down, out=self.change)
            add_norm[(OYSTERS // TILE,)](
                self.state, self.change, scale, self.normal, WIDTH=WIDTH, TILE=TILE, num_warps=8)
        torch.mm(self.normal, self.head, out=self.scores)
        grade[(CRATES,)](
            self.scores, self.prices, self.masses, self.meat, self.worth, GRADES=GRADES, CRATE=CRATE, num_warps=8)
        self.price.add_((self.worth / self.meat).mean())
        self.number += 1


def opening():
    torch.manual_seed(1)
    grader = Grader()
    return grader.look, lambda: grader.price.item(), ROUNDS


run_case(None, opening)
