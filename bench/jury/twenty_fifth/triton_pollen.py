"""Foretells pollen: each round, 262144 places are told how much of 16 kinds of pollen is in their air, from what 8192
stations have counted today. A station counts the more, the more its land is like that of the place (a learned
product of what is known of both) and the nearer it is. Means and highest values of each district are kept.

Products with what is learned are those of the library; likeness, distance, shares and sums are one Triton kernel, and
no pair of a place and a station is stored."""
import math

import torch
import triton
import triton.language as tl

from case import run_case

PLACES, STATIONS, KNOWN, SIZE, KINDS, DISTRICT, SETS = 1 << 18, 8192, 256, 64, 16, 512, 3
TILE, STEP, NEAR, ROUNDS = 128, 64, 40.0, 700
DISTRICTS = PLACES // DISTRICT


@triton.jit
def foretell(queries, places, keys, stations, counts, told, NEAR: tl.constexpr, PLACES: tl.constexpr,
             STATIONS: tl.constexpr, SIZE: tl.constexpr, KINDS: tl.constexpr, TILE: tl.constexpr, STEP: tl.constexpr):
    """A program has a tile of places and goes through the stations; scores are logarithms to the base of two."""
    rows, columns, kinds = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, SIZE), tl.arange(0, KINDS)
    query = tl.load(queries + rows[:, None] * SIZE + columns[None, :])
    east, north = tl.load(places + rows), tl.load(places + PLACES + rows)
    best = tl.full((TILE,), float("-inf"), tl.float32)
    total = tl.zeros((TILE,), tl.float32)
    sums = tl.zeros((TILE, KINDS), tl.float32)
    for first in range(0, STATIONS, STEP):
        own = first + tl.arange(0, STEP)
        key = tl.load(keys + own[None, :] * SIZE + columns[:, None])
        far_east = east[:, None] - tl.load(stations + own)[None, :]
        far_north = north[:, None] - tl.load(stations + STATIONS + own)[None, :]
        score = tl.dot(query, key) - NEAR * (far_east * far_east + far_north * far_north)
        now = tl.maximum(best, tl.max(score, 1))
        share, fade = tl.exp2(score - now[:, None]), tl.exp2(best - now)
        count = tl.load(counts + own[:, None] * KINDS + kinds[None, :])
        total = total * fade + tl.sum(share, 1)
        sums = sums * fade[:, None] + tl.dot(share.to(tl.bfloat16), count)
        best = now
    tl.store(told + rows[:, None] * KINDS + kinds[None, :], sums / total[:, None])


@triton.jit
def sum_up(told, means, peaks, KINDS: tl.constexpr, DISTRICT: tl.constexpr):
    """A program has a district."""
    rows, kinds = tl.program_id(0) * DISTRICT + tl.arange(0, DISTRICT), tl.arange(0, KINDS)
    pollen = tl.load(told + rows[:, None] * KINDS + kinds[None, :])
    tl.store(means + tl.program_id(0) * KINDS + kinds, tl.sum(pollen, 0) / DISTRICT)
    tl.store(peaks + tl.program_id(0) * KINDS + kinds, tl.max(pollen, 0))


def weights(inputs, outputs, scale):
    return (torch.randn(inputs, outputs, device="cuda") * (scale * inputs ** -0.5)).to(torch.bfloat16)


class Office:
    """What is known of land changes with the season; counts are those of a day."""
    def __init__(self):
        self.of_place = weights(KNOWN, SIZE, 1.5 * math.log2(math.e) * SIZE ** -0.5)
        self.of_station = weights(KNOWN, SIZE, 1.5)
        with torch.device("cuda"):
            self.land = torch.randn(SETS, PLACES, KNOWN, dtype=torch.bfloat16)
            self.station_land = torch.randn(SETS, STATIONS, KNOWN, dtype=torch.bfloat16)
            self.places, self.stations = torch.rand(2, PLACES), torch.rand(2, STATIONS)
            self.counts = torch.randn(SETS + 1, STATIONS, KINDS).exp_().to(torch.bfloat16)
            self.queries = torch.empty(PLACES, SIZE, dtype=torch.bfloat16)
            self.keys = torch.empty(STATIONS, SIZE, dtype=torch.bfloat16)
            self.told = torch.empty(PLACES, KINDS)
            self.means, self.peaks = torch.empty(2, DISTRICTS, KINDS)
            self.pollen = torch.zeros((), dtype=torch.float64)
        self.number = 0

    def tell(self):
        torch.mm(self.land[self.number % SETS], self.of_place, out=self.queries)
        torch.mm(self.station_land[self.number % SETS], self.of_station, out=self.keys)
        foretell[(PLACES // TILE,)](
            self.queries, self.places, self.keys, self.stations, self.counts[self.number % (SETS + 1)], self.told,
            NEAR=NEAR, PLACES=PLACES, STATIONS=STATIONS, SIZE=SIZE, KINDS=KINDS, TILE=TILE, STEP=STEP, num_warps=8,
            num_stages=3)
        sum_up[(DISTRICTS,)](self.told, self.means, self.peaks, KINDS=KINDS, DISTRICT=DISTRICT, num_warps=4)
        self.pollen.add_((self.peaks / (self.means + 1)).mean())
        self.number += 1


def sneezing():
    torch.manual_seed(1)
    office = Office()
    return office.tell, lambda: office.pollen.item(), ROUNDS


run_case(None, sneezing)
