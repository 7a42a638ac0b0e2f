"""A layer of 512 neurons for each of 64 batches of 1024 rows.

Nothing is wrong: a product of the library, and one fused kernel that reads and writes in order.
The pattern is that of cupy/cupy, examples/gemm/sgemm.py, with the library's product."""
import cupy

from case import run_case

BATCHES, ROWS, WIDTH, ROUNDS = 64, 1024, 512, 600

activated = cupy.ElementwiseKernel(
    "float32 sum, float32 bias", "float32 out", "const float x = sum + bias; out = x > 0 ? x : 0.01f * x;", "activated")


def numbers(*shape):
    count = 1
    for size in shape:
        count *= size
    number = cupy.arange(count, dtype=cupy.uint32)
    return (((number * cupy.uint32(2654435761)) >> cupy.uint32(12)).astype(cupy.float32) / cupy.float32(1 << 20)).reshape(shape)


def layers():
    rows, weights = numbers(BATCHES, ROWS, WIDTH), numbers(BATCHES, WIDTH, WIDTH)
    bias, sums, out = numbers(WIDTH), cupy.empty_like(rows), cupy.empty_like(rows)

    def one_round():
        cupy.matmul(rows, weights, out=sums)
        activated(sums, bias, out)

    return one_round, lambda: float(out.astype(cupy.float64).sum()), ROUNDS


run_case(None, layers)
