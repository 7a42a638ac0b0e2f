"""Tells how much snow melts on mountain passes: each round takes the warmth, the wind and the sun of an hour at 17 million
places, takes what melts from the snow, and adds it to the water below.

At fault: the balance of energy is written as an expression of arrays, so each of ten operations is a kernel that reads and
writes whole arrays; one elementwise kernel does it with one read of each.
The pattern is that of scverse/rapids-singlecell, pull request 159, and cupy/cupy, pull request 3312: elementwise kernels instead
of expressions of arrays, about ten times as fast for large arrays."""
import cupy

from case import run_case

PLACES, HOURS, BLOWN, MELT, ROUNDS = 1 << 24, 4, 8.0, 5e-7, 12000

melt_once = cupy.ElementwiseKernel(
    "float32 warmth, float32 wind, float32 sun, float32 albedo, float32 blown, float32 melt", "float32 snow, float32 water",
    """const float energy = sun * (1.0f - albedo) + blown * warmth * wind;
    const float melted = fminf(snow, fmaxf(melt * energy, 0.0f));
    snow -= melted;
    water += melted;""", "melt_once")


def melt_by_arrays(warmth, wind, sun, albedo, snow, water):
    shone = sun * (1.0 - albedo)  # fault
    energy = shone + BLOWN * warmth * wind  # fault
    melted = cupy.minimum(snow, cupy.maximum(MELT * energy, 0.0))  # fault
    snow -= melted  # fault
    water += melted  # fault


def melt_in_one(warmth, wind, sun, albedo, snow, water):
    melt_once(warmth, wind, sun, albedo, BLOWN, MELT, snow, water)


def made_weather():
    """Degrees, metres a second, and watts a square metre."""
    kinds = (-5.0, 15.0), (0.0, 10.0), (0.0, 800.0)
    return [lowest + span * cupy.random.random(PLACES, dtype=cupy.float32) for lowest, span in kinds]


def melting(melt):
    cupy.random.seed(1)
    hours = [made_weather() for _ in range(HOURS)]
    albedo = 0.4 + 0.5 * cupy.random.random(PLACES, dtype=cupy.float32)
    snow, number = 4 + 4 * cupy.random.random(PLACES, dtype=cupy.float32), [0]
    water = cupy.zeros(PLACES, dtype=cupy.float32)

    def one_round():
        melt(*hours[number[0] % HOURS], albedo, snow, water)  # fault
        number[0] += 1

    return one_round, lambda: float(water.sum(dtype=cupy.float64)), ROUNDS


run_case(lambda: melting(melt_by_arrays), lambda: melting(melt_in_one))
