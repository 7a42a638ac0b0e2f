"""Waves on a plate of 8192 x 8192 points, a step in time a round.

Nothing is wrong: one kernel a step, with neighbours side by side, and three arrays that change places.
The pattern is that of devitocodes/devito, examples/seismic, with CuPy."""
import cupy

from case import run_case

SIDE, ROUNDS = 8192, 3000

stepped = cupy.ElementwiseKernel(
    "raw float32 now, float32 before, float32 speed, int32 side", "float32 after",
    """
    int row = i / side, column = i - row * side;
    float own = now[i], around = 0.0f;
    if (row > 0 && row < side - 1 && column > 0 && column < side - 1)
        around = now[i - side] + now[i + side] + now[i - 1] + now[i + 1] - 4.0f * own;
    after = 2.0f * own - before + speed * around;
    """, "stepped")


def waving():
    row, column = cupy.ogrid[:SIDE, :SIDE]
    now = cupy.exp(-((row - 4000.0) ** 2 + (column - 3000.0) ** 2) / 5000.0).astype(cupy.float32)
    plates = [now.copy(), now, cupy.empty_like(now)]

    def one_round():
        before, now, after = plates
        stepped(now, before, 0.2, SIDE, after)
        plates[:] = [now, after, before]

    return one_round, lambda: float(cupy.abs(plates[1]).sum(dtype=cupy.float64)), ROUNDS


run_case(None, waving)
