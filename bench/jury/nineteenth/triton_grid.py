"""Watches a power grid: each round takes 32 hours of 1024 readings of 2048 sensors, finds how far each reading strays
from a smooth course of its sensor, how much all stray at one time, and which sensors stray together.

At fault: a program follows one sensor, so its lanes read and write 4 bytes that lie 8 KB apart, and a sector of 32
bytes travels for each; let a program follow 64 sensors that lie side by side, so that lanes lie along them.
The pattern is that of gabrieldemarmiesse/torch-mojo-backend, pull request 393 (running sums of rows by threads that
lie a row apart, 7 times as slow as need be), and tile-ai/TileOPs, pull request 1526: a step of a recurrence by tiles
of two dimensions whose accesses are coalesced."""
import math

import torch
import triton
import triton.language as tl

from case import run_case

HOURS, TIMES, SENSORS, KEPT, SIDE, SETS, ROUNDS = 32, 1024, 2048, 0.95, 64, 3, 900
LONG, SHORT = 256, 64  # readings at once, of one sensor and of many

torch.set_float32_matmul_precision("high")


@triton.jit
def smooth_sensor(readings, strays, TIMES: tl.constexpr, SENSORS: tl.constexpr, BLOCK: tl.constexpr,
                  FADING: tl.constexpr, NEW: tl.constexpr, LEFT: tl.constexpr):
    sensor, hour, steps = tl.program_id(0), tl.program_id(1), tl.arange(0, BLOCK)
    fading = tl.exp2((steps + 1) * FADING)
    first = hour.to(tl.int64) * (TIMES * SENSORS) + sensor
    level = tl.load(readings + first)
    for start in range(0, TIMES, BLOCK):
        there = first + (start + steps) * SENSORS
        reading = tl.load(readings + there)
        share = reading * (NEW / fading)
        tl.store(strays + there, reading - fading * (level + tl.cumsum(share, 0)))
        level = (level + tl.sum(share, 0)) * LEFT


@triton.jit
def smooth_sensors(readings, strays, TIMES: tl.constexpr, SENSORS: tl.constexpr, BLOCK: tl.constexpr,
                   FADING: tl.constexpr, NEW: tl.constexpr, LEFT: tl.constexpr, SIDE: tl.constexpr):
    hour, steps = tl.program_id(1), tl.arange(0, BLOCK)[:, None]
    fading = tl.exp2((steps + 1) * FADING)
    first = hour.to(tl.int64) * (TIMES * SENSORS) + tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    level = tl.load(readings + first)
    for start in range(0, TIMES, BLOCK):
        there = first[None, :] + (start + steps) * SENSORS
        reading = tl.load(readings + there)
        share = reading * (NEW / fading)
        tl.store(strays + there, reading - fading * (level[None, :] + tl.cumsum(share, 0)))
        level = (level + tl.sum(share, 0)) * LEFT


@triton.jit
def judge(strays, levels, peaks, SENSORS: tl.constexpr):
    time = tl.program_id(0)
    stray = tl.load(strays + time.to(tl.int64) * SENSORS + tl.arange(0, SENSORS))
    tl.store(levels + time, tl.sum(stray * stray, 0) / SENSORS)
    tl.store(peaks + time, tl.max(tl.abs(stray), 0))


def constants(block):
    return dict(TIMES=TIMES, SENSORS=SENSORS, BLOCK=block, FADING=math.log2(KEPT), NEW=1 - KEPT, LEFT=KEPT ** block)


def follow_each(readings, strays):
    smooth_sensor[(SENSORS, HOURS)](readings, strays, **constants(LONG), num_warps=4)  # fault


def follow_many(readings, strays):
    smooth_sensors[(SENSORS // SIDE, HOURS)](readings, strays, **constants(SHORT), SIDE=SIDE, num_warps=4)


class Watch:
    """Keeps what is known of all hours so far."""
    def __init__(self, follow):
        self.follow = follow
        self.strays = torch.empty(HOURS * TIMES, SENSORS, device="cuda")
        self.levels, self.peaks = torch.empty(2, HOURS * TIMES, device="cuda")
        self.together = torch.zeros(SENSORS, SENSORS, device="cuda")
        self.level, self.peak = torch.zeros(2, device="cuda")

    def take(self, readings):
        self.follow(readings, self.strays)  # fault
        judge[(HOURS * TIMES,)](self.strays, self.levels, self.peaks, SENSORS=SENSORS, num_warps=8)
        self.together.addmm_(self.strays.t(), self.strays, beta=0.9, alpha=0.1 / (HOURS * TIMES))
        self.level.add_(self.levels.mean())
        torch.maximum(self.peak, self.peaks.max(), out=self.peak)

    def total(self):
        return (self.level + self.peak + self.together.diagonal().sum()).item()


def watching(follow):
    torch.manual_seed(1)
    watch, number = Watch(follow), [0]
    readings = [torch.randn(HOURS, TIMES, SENSORS, device="cuda").add_(50) for _ in range(SETS)]

    def one_round():
        watch.take(readings[number[0] % SETS])
        number[0] += 1

    return one_round, watch.total, ROUNDS


run_case(lambda: watching(follow_each), lambda: watching(follow_many))
