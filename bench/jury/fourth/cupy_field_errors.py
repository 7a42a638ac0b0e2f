"""Relaxes a field of 16 million points towards another, and measures how far they are apart after ten steps.

At fault: a reduction of two arrays to one number runs in a single block.
The pattern is that of cupy.ReductionKernel in cupy/cupy, pull request 4289: only reductions of one array go to a library that
takes many blocks. Here rows are reduced first, in a block each."""
import cupy

from case import run_case

SIDE, STEPS, ROUNDS = 4096, 10, 120

relaxed = cupy.ElementwiseKernel(
    "float32 value, float32 goal", "float32 out", "out = value + 0.001f * (goal - value);", "relaxed")

squared_error = cupy.ReductionKernel(
    "float32 value, float32 goal", "float64 total",
    "(double)((value - goal) * (value - goal))",  # fault
    "a + b", "total = a", "0", "squared_error", "double")


def made_fields():
    number = cupy.arange(SIDE * SIDE, dtype=cupy.uint32)
    goal = ((number * cupy.uint32(2654435761)) >> cupy.uint32(12)).astype(cupy.float32) / cupy.float32(1 << 20)
    return cupy.zeros((SIDE, SIDE), dtype=cupy.float32), goal.reshape(SIDE, SIDE)


def in_one_block():
    field, goal = made_fields()
    results = [None]

    def one_round():
        for _ in range(STEPS):
            relaxed(field, goal, field)
        results[0] = squared_error(field, goal)  # fault

    return one_round, lambda: float(results[0]), ROUNDS


def row_by_row():
    field, goal = made_fields()
    results = [None]

    def one_round():
        for _ in range(STEPS):
            relaxed(field, goal, field)
        results[0] = squared_error(field, goal, axis=1).sum()

    return one_round, lambda: float(results[0]), ROUNDS


run_case(in_one_block, row_by_row)
