"""The value of 4 million paths of a share's price, 64 steps each.

Nothing is wrong: one kernel makes the random numbers and the paths, and stores one number a thread.
The pattern is that of cupy/cupy, examples/finance/monte_carlo.py."""
import cupy

from case import run_case

PATHS, STEPS, ROUNDS = 4 << 20, 64, 1500

pay_off = cupy.ElementwiseKernel(
    "uint32 seed, float32 start, float32 strike, float32 drift, float32 spread, int32 steps", "float32 pay",
    """
    unsigned state = seed * 2654435761u + 12345u;
    float price = start;
    for (int step = 0; step < steps; ++step) {
      state ^= state << 13, state ^= state >> 17, state ^= state << 5;
      const float number = (state >> 8) * (1.0f / 16777216.0f) - 0.5f;
      price *= 1.0f + drift + spread * number;
    }
    pay = price > strike ? price - strike : 0.0f;
    """, "pay_off_of_path")


def valuing():
    seeds = cupy.arange(1, PATHS + 1, dtype=cupy.uint32)
    pays = cupy.empty(PATHS, dtype=cupy.float32)
    value = [None]

    def one_round():
        pay_off(seeds, cupy.float32(100), cupy.float32(101), cupy.float32(1e-4), cupy.float32(0.02), cupy.int32(STEPS), pays)
        value[0] = pays.mean(dtype=cupy.float64)

    return one_round, lambda: float(value[0]), ROUNDS


run_case(None, valuing)
