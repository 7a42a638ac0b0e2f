"""Sorts 32 million numbers.

Nothing is wrong: a call of the library.
The pattern is that of cupy/cupy, cupy/_sorting/sort.py."""
import cupy

from case import run_case

VALUES, ROUNDS = 32 << 20, 80


def sorting():
    number = cupy.arange(VALUES, dtype=cupy.uint32)
    values = ((number * cupy.uint32(2654435761)) >> cupy.uint32(8)).astype(cupy.float32)
    results = [None]

    def one_round():
        results[0] = cupy.sort(values)

    return one_round, lambda: float(results[0][::4096].astype(cupy.float64).sum()), ROUNDS


run_case(None, sorting)
