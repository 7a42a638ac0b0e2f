"""Reflectances of a scene of a million points in 16 bands: values over the means of a white panel of 65,536 points.

At fault: the means over the long first axis have 16 results only, and the library computes up to 32 neighbouring results in one
block.
The pattern is that of cupy.mean in cupy/cupy, pull request 4008, whose author finds this reduction slower than one call a band.
Here parts of the panel are reduced first, in a block each."""
import cupy

from case import run_case

SCENE, PANEL, BANDS, PARTS, ROUNDS = 1 << 20, 1 << 16, 16, 256, 1000

reflectance = cupy.ElementwiseKernel("float32 value, float32 white", "float32 out", "out = value / white", "reflectance")


def made_scene():
    number = cupy.arange(SCENE * BANDS, dtype=cupy.uint32)
    values = ((number * cupy.uint32(2654435761)) >> cupy.uint32(12)).astype(cupy.float32) / cupy.float32(1 << 20)
    return (values + cupy.float32(0.5)).reshape(SCENE, BANDS), cupy.empty((SCENE, BANDS), dtype=cupy.float32)


def total_of(out):
    return float(out.astype(cupy.float64).sum())


def in_one_block():
    scene, out = made_scene()
    panel = scene[:PANEL]

    def one_round():
        white = panel.mean(axis=0)  # fault
        reflectance(scene, white, out)

    return one_round, lambda: total_of(out), ROUNDS


def part_by_part():
    scene, out = made_scene()
    panel = scene[:PANEL].reshape(PARTS, PANEL // PARTS, BANDS)

    def one_round():
        white = panel.mean(axis=1).mean(axis=0)
        reflectance(scene, white, out)

    return one_round, lambda: total_of(out), ROUNDS


run_case(in_one_block, part_by_part)
