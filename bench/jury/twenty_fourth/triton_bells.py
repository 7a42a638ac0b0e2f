"""Stores the sound of bells in few bits: each round, 524288 spectra of 256 bands are projected to 128 numbers each,
which are written as four codes of 256 entries: each code book has what the one before it left over. Codes that change
from one spectrum to the next are counted, with what is left over at last, for each second of sound.

The projection is that of the library; all four searches are one Triton kernel, and no distance is stored."""
import torch
import triton
import triton.language as tl

from case import run_case

FRAMES, BANDS, SIZE, ENTRIES, STAGES, SECOND, SETS = 1 << 19, 256, 128, 256, 4, 512, 3
TILE, STEP, ROUNDS = 128, 64, 1200
SECONDS = FRAMES // SECOND


@triton.jit
def encode(frames, books, squares, codes, errors, FRAMES: tl.constexpr, SIZE: tl.constexpr, ENTRIES: tl.constexpr,
           STAGES: tl.constexpr, TILE: tl.constexpr, STEP: tl.constexpr):
    """A program has a tile of spectra, and keeps what is left of them."""
    rows, columns = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, SIZE)
    left = tl.load(frames + rows[:, None] * SIZE + columns[None, :]).to(tl.float32)
    for stage in range(STAGES):
        book = books + stage * ENTRIES * SIZE
        own = left.to(tl.bfloat16)
        nearest = tl.full((TILE,), float("inf"), tl.float32)
        code = tl.zeros((TILE,), tl.int32)
        for first in range(0, ENTRIES, STEP):
            entries = first + tl.arange(0, STEP)
            part = tl.load(book + entries[None, :] * SIZE + columns[:, None])
            far = tl.load(squares + stage * ENTRIES + entries)[None, :] - 2.0 * tl.dot(own, part)
            least = tl.min(far, 1)
            code = tl.where(least < nearest, first + tl.argmin(far, 1), code)
            nearest = tl.minimum(least, nearest)
        tl.store(codes + stage * FRAMES + rows, code)
        left -= tl.load(book + code[:, None] * SIZE + columns[None, :]).to(tl.float32)
    tl.store(errors + rows, tl.sum(left * left, 1))


@triton.jit
def sum_up(codes, errors, changes, rests, FRAMES: tl.constexpr, STAGES: tl.constexpr, SECOND: tl.constexpr):
    """A program has a second of sound."""
    rows = tl.program_id(0) * SECOND + tl.arange(0, SECOND)
    before = tl.maximum(rows - 1, 0)
    changed = tl.zeros((SECOND,), tl.int32)
    for stage in range(STAGES):
        other = tl.load(codes + stage * FRAMES + before) != tl.load(codes + stage * FRAMES + rows)
        changed += other.to(tl.int32)
    tl.store(changes + tl.program_id(0), tl.sum(changed, 0))
    tl.store(rests + tl.program_id(0), tl.sum(tl.load(errors + rows), 0))


class Tower:
    def __init__(self):
        with torch.device("cuda"):
            self.spectra = torch.randn(SETS, FRAMES, BANDS).to(torch.bfloat16)
            self.weight = (torch.randn(BANDS, SIZE) * BANDS ** -0.5).to(torch.bfloat16)
            sizes = 0.25 * 0.9 ** torch.arange(STAGES)
            self.books = (torch.randn(STAGES, ENTRIES, SIZE) * sizes[:, None, None]).to(torch.bfloat16)
            self.squares = self.books.float().square().sum(2)
            self.frames = torch.empty(FRAMES, SIZE, dtype=torch.bfloat16)
            self.codes = torch.empty(STAGES, FRAMES, dtype=torch.int32)
            self.errors = torch.empty(FRAMES)
            self.changes, self.rests = torch.empty(SECONDS, dtype=torch.int32), torch.empty(SECONDS)
            self.told = torch.zeros((), dtype=torch.float64)
        self.number = 0

    def store(self):
        torch.mm(self.spectra[self.number % SETS], self.weight, out=self.frames)
        encode[(FRAMES // TILE,)](
            self.frames, self.books, self.squares, self.codes, self.errors, FRAMES=FRAMES, SIZE=SIZE, ENTRIES=ENTRIES,
            STAGES=STAGES, TILE=TILE, STEP=STEP, num_warps=8)
        sum_up[(SECONDS,)](
            self.codes, self.errors, self.changes, self.rests, FRAMES=FRAMES, STAGES=STAGES, SECOND=SECOND, num_warps=4)
        self.told.add_((self.rests / (self.changes + 1)).mean())
        self.number += 1


def ringing():
    torch.manual_seed(1)
    tower = Tower()
    return tower.store, lambda: tower.told.item(), ROUNDS


run_case(None, ringing)
