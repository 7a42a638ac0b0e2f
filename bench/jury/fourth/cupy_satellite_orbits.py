"""Moves 16 million satellites round a planet, a step at a time.

Nothing is wrong: each coordinate is an array of its own, and one kernel reads and writes all of them in order.
The pattern is that of the elementwise kernels in cupy/cupy, docs/source/user_guide/kernel.rst."""
import cupy

from case import run_case

SATELLITES, ROUNDS = 16 << 20, 2500

move = cupy.ElementwiseKernel(
    "float32 x, float32 y, float32 z, float32 u, float32 v, float32 w",
    "float32 to_x, float32 to_y, float32 to_z, float32 to_u, float32 to_v, float32 to_w",
    """
    const float step = 0.001f;
    const float near = rsqrtf(x * x + y * y + z * z);
    const float pull = step * near * near * near;
    to_u = u - pull * x;
    to_v = v - pull * y;
    to_w = w - pull * z;
    to_x = x + step * to_u;
    to_y = y + step * to_v;
    to_z = z + step * to_w;
    """, "move_satellites")


def orbits():
    number = cupy.arange(SATELLITES, dtype=cupy.uint32)
    turn = ((number * cupy.uint32(2654435761)) >> cupy.uint32(8)).astype(cupy.float32) * cupy.float32(6.2831853 / (1 << 24))
    x, y, z = cupy.cos(turn), cupy.sin(turn), cupy.zeros_like(turn)
    u, v, w = y * cupy.float32(-0.8), x * cupy.float32(0.8), cupy.full_like(turn, 0.6)

    def one_round():
        move(x, y, z, u, v, w, x, y, z, u, v, w)

    return one_round, lambda: float(cupy.sqrt(x * x + y * y + z * z).astype(cupy.float64).sum()), ROUNDS


run_case(None, orbits)
