"""Finds how high the sea will rise at four million places of a marsh: each round takes the 24 hours of a day, whose heights are
a sum of 16 tides, and keeps the highest so far.

Nothing is wrong: the tides are a plane each, so lanes read neighbours, all hours of a day are found in registers from one read
of the tides, what depends on the day only is found before, and nothing waits for the host.
The pattern is that of tsutterley/pyTMD, pyTMD/predict.py: a height is a sum of cosines of tides; here the hours follow by a
recurrence."""
import cupy

from case import run_case

PLACES, TIDES, HOURS, DAYS, ROUNDS = 1 << 22, 16, 24, 1024, 28000

# Phases are in turns. The cosine of the next hour follows from those of two hours before.
raise_highest = cupy.ElementwiseKernel(
    "raw float32 heights, raw float32 phases, raw float32 begins, raw float32 speeds, raw float32 doubled, int32 places",
    "float32 highest",
    f"""float height[{HOURS}];
    #pragma unroll
    for (int hour = 0; hour < {HOURS}; ++hour)
        height[hour] = 0.0f;
    for (int tide = 0; tide < {TIDES}; ++tide) {{
        const float turns = phases[tide * places + i] + begins[tide];
        const float most = heights[tide * places + i];
        float before = most * cospif(2.0f * (turns - speeds[tide]));
        float now = most * cospif(2.0f * turns);
        #pragma unroll
        for (int hour = 0; hour < {HOURS}; ++hour) {{
            height[hour] += now;
            const float next = doubled[tide] * now - before;
            before = now;
            now = next;
        }}
    }}
    #pragma unroll
    for (int hour = 0; hour < {HOURS}; ++hour)
        highest = fmaxf(highest, height[hour]);""", "raise_highest")


def flooding():
    cupy.random.seed(1)
    heights = cupy.random.random(TIDES * PLACES, dtype=cupy.float32)
    phases = cupy.random.random(TIDES * PLACES, dtype=cupy.float32)
    speeds = 1 / cupy.linspace(6, 26, TIDES)  # turns an hour
    begins = list((HOURS * cupy.arange(DAYS)[:, None] * speeds % 1).astype(cupy.float32))
    doubled = (2 * cupy.cos(2 * cupy.pi * speeds)).astype(cupy.float32)
    speeds = speeds.astype(cupy.float32)
    highest, state = cupy.zeros(PLACES, dtype=cupy.float32), [0]

    def one_round():
        raise_highest(heights, phases, begins[state[0] % DAYS], speeds, doubled, PLACES, highest)
        state[0] += 1

    return one_round, lambda: float(highest.sum(dtype=cupy.float64)), ROUNDS


run_case(None, flooding)
