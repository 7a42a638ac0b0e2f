"""A signal of 33 million samples under a window, whose shape is another one in each round.

At fault: the window is made by a chain of nine operations, each of which brings 134 MB from DRAM and stores as much.
The pattern is that of cupy/cupy, pull request 3312: the windows of Blackman, Hamming and Hann by one kernel each, 9 to 17 times
as fast for ten million values."""
import math

import cupy

from case import run_case

SAMPLES, ROUNDS = 1 << 25, 800
STEP = 2 * math.pi / SAMPLES

tapered_by_one = cupy.ElementwiseKernel(
    "float32 sample, float32 shape, float32 step", "float32 out",
    "out = sample * (0.5f * (1.0f - shape) - 0.5f * cosf(i * step) + 0.5f * shape * cosf(2.0f * i * step))", "tapered_by_one")


def made_signal():
    number = cupy.arange(SAMPLES, dtype=cupy.float32)
    return cupy.sin(0.001 * number) + 0.5


def shape_of(number):
    """Blackman's is 0.16."""
    return 0.12 + 0.01 * (number % 8)


def total_of(tapered):
    return float(cupy.abs(tapered).astype(cupy.float64).sum())


def by_a_chain():
    signal, number, results = made_signal(), [0], [None]
    places = cupy.arange(SAMPLES, dtype=cupy.float32)

    def one_round():
        shape = shape_of(number[0])
        number[0] += 1
        angles = places * STEP  # fault
        first, second = 0.5 * cupy.cos(angles), cupy.cos(2 * angles)  # fault
        window = 0.5 * (1 - shape) - first + 0.5 * shape * second  # fault
        results[0] = signal * window  # fault

    return one_round, lambda: total_of(results[0]), ROUNDS


def by_one_kernel():
    signal, number, results = made_signal(), [0], [None]

    def one_round():
        shape = shape_of(number[0])
        number[0] += 1
        results[0] = tapered_by_one(signal, shape, STEP)

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(by_a_chain, by_one_kernel)
