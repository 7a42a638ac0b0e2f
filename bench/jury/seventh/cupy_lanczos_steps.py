"""Steps of Lanczos's method for the oscillations of a plate of 2048 x 2048 places: a sparse product and three vectors a step.

Nothing is wrong: lengths and products of vectors stay on the device, and the two vectors that change are made by one kernel
each.
The pattern is that of cupy/cupy, cupyx/scipy/sparse/linalg/_eigen.py."""
import cupy
from cupyx.scipy import sparse

from case import run_case

SIDE, STEPS, ROUNDS = 2048, 4, 160

reduced = cupy.ElementwiseKernel(
    "float32 moved, float32 own, float32 before, float32 alpha, float32 beta", "float32 out",
    "out = moved - alpha * own - beta * before", "reduced")
shortened = cupy.ElementwiseKernel("float32 value, float32 length", "float32 out", "out = value / length", "shortened")


def made_plate():
    """Each place and its four neighbours, with stiffness that changes from place to place."""
    count = SIDE * SIDE
    place = cupy.arange(count, dtype=cupy.float32)
    stiff = cupy.float32(4) + cupy.float32(0.5) * cupy.sin(place * cupy.float32(0.01))
    beside = -cupy.ones(count, dtype=cupy.float32)
    beside[SIDE - 1::SIDE] = 0
    across = -cupy.ones(count, dtype=cupy.float32)
    bands = [stiff, beside[:-1], beside[:-1], across[:-SIDE], across[:-SIDE]]
    return sparse.diags(bands, [0, 1, -1, SIDE, -SIDE], shape=(count, count), format="csr", dtype=cupy.float32)


def stepping():
    plate = made_plate()
    state = [shortened(cupy.ones(SIDE * SIDE, dtype=cupy.float32), cupy.float32(SIDE))]
    state += [cupy.zeros_like(state[0]), cupy.zeros((), dtype=cupy.float32)]
    sums = cupy.zeros((), dtype=cupy.float64)

    def one_round():
        own, before, beta = state
        for _ in range(STEPS):
            moved = plate @ own
            alpha = cupy.dot(moved, own)
            rest = reduced(moved, own, before, alpha, beta)
            beta = cupy.sqrt(cupy.dot(rest, rest))
            own, before = shortened(rest, beta), own
            cupy.add(sums, alpha, out=sums)
        state[:] = own, before, beta

    return one_round, lambda: sums, ROUNDS


run_case(None, stepping)
