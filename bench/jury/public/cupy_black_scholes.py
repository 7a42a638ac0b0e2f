"""The prices of options by the formula of Black and Scholes, in one kernel for all operands.

Nothing is wrong: the kernel reads three contiguous arrays and writes two.
The pattern is that of cupy/cupy, examples/finance/black_scholes.py."""
import cupy

from case import run_case

OPTIONS, ROUNDS = 16 << 20, 1500

price_options = cupy.ElementwiseKernel(
    "float32 stock, float32 strike, float32 years, float32 rate, float32 volatility",
    "float32 call, float32 put",
    """
    const float root = sqrtf(years);
    const float d1 = (logf(stock / strike) + (rate + 0.5f * volatility * volatility) * years) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float discounted = strike * expf(-rate * years);
    call = stock * normcdff(d1) - discounted * normcdff(d2);
    put = discounted * normcdff(-d2) - stock * normcdff(-d1);
    """,
    "price_options")


def spread(seed, low, high):
    number = cupy.arange(OPTIONS, dtype=cupy.uint32) * cupy.uint32(2654435761) + cupy.uint32(seed)
    return (number >> cupy.uint32(8)).astype(cupy.float32) * cupy.float32((high - low) / (1 << 24)) + cupy.float32(low)


def prices():
    stock, strike, years = spread(1, 5, 30), spread(77, 1, 100), spread(7777, 0.25, 10)
    call, put = cupy.empty_like(stock), cupy.empty_like(stock)

    def one_round():
        price_options(stock, strike, years, cupy.float32(0.02), cupy.float32(0.3), call, put)

    return one_round, lambda: float(call.sum(dtype=cupy.float64) + put.sum(dtype=cupy.float64)), ROUNDS


run_case(None, prices)
