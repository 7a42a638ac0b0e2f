"""Finds out which grapes are in wines: each round takes 49152 chromatograms of 4096 points, from which what the column
itself bleeds is taken away by least squares, peaks that are too high are cut, and which are compared with those of 128
grapes; how mixed the wines are is summed."""
import torch
import triton
import triton.language as tl

from case import run_case

WINES, POINTS, GRAPES, HIGHEST, SHARP, TELL_TILE, SETS, ROUNDS = 49152, 4096, 128, 3.0, 20.0, 16, 2, 2800


@triton.jit
def refine(raw, bleed, refined, spreads, HIGHEST: tl.constexpr, POINTS: tl.constexpr, TILE: tl.constexpr):
    wines, points = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, POINTS)
    there = wines[:, None] * POINTS + points[None, :]
    signal = tl.load(raw + there)  # fault
    own = tl.load(bleed + points)[None, :]  # fault
    level = tl.sum(signal, 1) / POINTS  # fault
    signal = signal - level[:, None]  # fault
    share = tl.sum(signal * own, 1)  # fault
    signal = signal - share[:, None] * own  # fault
    spread = tl.sqrt(tl.sum(signal * signal, 1) / POINTS) + 1e-6  # fault
    signal = tl.minimum(signal / spread[:, None], HIGHEST)  # fault
    level = tl.sum(signal, 1) / POINTS  # fault
    signal = signal - level[:, None]  # fault
    length = tl.sqrt(tl.sum(signal * signal, 1)) + 1e-6  # fault
    tl.store(refined + there, (signal / length[:, None]).to(tl.bfloat16))  # fault
    tl.store(spreads + wines, spread)


@triton.jit
def tell(alike, spreads, best, mixes, SHARP: tl.constexpr, GRAPES: tl.constexpr, TILE: tl.constexpr):
    wines, grapes = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, GRAPES)
    score = tl.load(alike + wines[:, None] * GRAPES + grapes[None, :]).to(tl.float32) * SHARP
    score = score - tl.max(score, 1)[:, None]
    part = tl.exp(score)
    whole = tl.sum(part, 1)
    mix = tl.log(whole) - tl.sum(part * score, 1) / whole
    tl.store(best + wines, tl.argmax(score, 1))
    tl.store(mixes + wines, mix / (1 + tl.load(spreads + wines)))


class Cellar:
    def __init__(self, tile):
        self.tile, self.number = tile, 0
        with torch.device("cuda"):
            self.grapes = torch.nn.functional.normalize(torch.randn(GRAPES, POINTS), dim=1)
            bleed = torch.linspace(0, 1, POINTS).square()
            self.bleed = torch.nn.functional.normalize(bleed - bleed.mean(), dim=0)
            self.raw = torch.empty(SETS, WINES, POINTS)
            self.refined = torch.empty(WINES, POINTS, dtype=torch.bfloat16)
            self.spreads, self.mixes = torch.empty(2, WINES)
            self.best, self.sum = torch.empty(WINES, dtype=torch.int32), torch.zeros((), dtype=torch.float64)
        for raw in self.raw:
            self.press(raw)
        self.grapes = self.grapes.to(torch.bfloat16)

    def press(self, raw):
        """Wines of a few grapes each, with noise and what the column bleeds."""
        shares = torch.rand(WINES, GRAPES, device="cuda").pow_(8)
        raw.normal_(std=0.02).addmm_(shares, self.grapes).add_(self.bleed)

    def taste(self):
        raw = self.raw[self.number % SETS]
        refine[(WINES // self.tile,)](  # fault
            raw, self.bleed, self.refined, self.spreads, HIGHEST=HIGHEST, POINTS=POINTS, TILE=self.tile, num_warps=4)
        alike = self.refined @ self.grapes.t()
        tell[(WINES // TELL_TILE,)](
            alike, self.spreads, self.best, self.mixes, SHARP=SHARP, GRAPES=GRAPES, TILE=TELL_TILE, num_warps=4)
        self.sum.add_(self.mixes.sum())
        self.number += 1


def drinking(tile):
    torch.manual_seed(1)
    cellar = Cellar(tile)
    return cellar.taste, lambda: cellar.sum.item(), ROUNDS


run_case(lambda: drinking(16), lambda: drinking(1))
