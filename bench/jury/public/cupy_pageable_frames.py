"""Uploads a frame of 64 MB each round, and adds up its values.

At fault: the frame is an ordinary array of the host, which the driver copies piece by piece.
The pattern is that of cupy/cupy, whose pull request 4870 adds arrays in pinned memory."""
import cupy
import cupyx
import numpy

from case import run_case

LENGTH, ROUNDS = 16 << 20, 100


def side_of(make_array):
    def make():
        frame = make_array(LENGTH)
        frame[...] = numpy.arange(LENGTH, dtype=numpy.float32) % 1000
        uploaded = cupy.empty(LENGTH, dtype=cupy.float32)
        total = cupy.zeros((), dtype=cupy.float64)

        def one_round():
            uploaded.set(frame)  # fault
            total[...] += uploaded.sum(dtype=cupy.float64)

        return one_round, lambda: float(total), ROUNDS

    return make


run_case(side_of(lambda length: numpy.empty(length, dtype=numpy.float32)),
         side_of(lambda length: cupyx.empty_pinned(length, dtype=numpy.float32)))
