"""Fifty steps of conjugate gradients on a grid of 2048 x 2048 points, a round.

At fault: the host asks for the residual after each step, and the GPU idles until the next step comes.
The pattern is that of NVIDIA/warp, warp/optim/linear.py, whose solvers have check_every, the number of steps between two such
questions."""
import cupy
from cupy import cublas

from case import run_case

SIZE, STEPS, ROUNDS, TINY = 2048, 50, 80, 1e-30

multiplied = cupy.ElementwiseKernel(
    "raw float32 p, int32 size", "float32 out",
    """
    const int column = i % size, row = i / size;
    float sum = 4.1f * p[i];
    if (column > 0) sum -= p[i - 1];
    if (column < size - 1) sum -= p[i + 1];
    if (row > 0) sum -= p[i - size];
    if (row < size - 1) sum -= p[i + size];
    out = sum;
    """, "multiplied_by_grid")
moved = cupy.ElementwiseKernel(
    "float32 p, float32 q, float32 rr, float32 pq", "float32 x, float32 r",
    "const float alpha = rr / pq; x += alpha * p; r -= alpha * q;", "moved_along")
turned = cupy.ElementwiseKernel(
    "float32 r, float32 now, float32 before", "float32 p", "p = r + now / before * p;", "turned")


def solver(check_every):
    number = cupy.arange(SIZE * SIZE, dtype=cupy.uint32)
    right = ((number * cupy.uint32(2654435761)) >> cupy.uint32(12)).astype(cupy.float32) / cupy.float32(1 << 20)
    x, r, p, q = (cupy.empty_like(right) for _ in range(4))

    def one_round():
        x.fill(0)
        r[...] = right
        p[...] = right
        rr = cublas.dot(r, r)
        for step in range(1, STEPS + 1):
            multiplied(p, cupy.int32(SIZE), q)
            moved(p, q, rr, cublas.dot(p, q), x, r)
            before, rr = rr, cublas.dot(r, r)
            if step % check_every == 0 and float(rr) < TINY:  # fault
                break
            turned(r, rr, before, p)

    return one_round, lambda: float(cupy.abs(x).astype(cupy.float64).sum()), ROUNDS


run_case(lambda: solver(1), lambda: solver(STEPS))
