"""Grows hail in a thunderstorm: 16.8 million stones fall and are lifted again by the wind that blows upwards, whose
strength comes and goes. A stone grows where the cloud holds cold water, and melts below. What reaches the ground begins
anew as a small one. Each round has six steps; after every third one the stones are sorted to read off how large they
are, from the middle one to the largest of a thousand."""
import cupy as cp
import numpy as np

from case import run_case

STONES, STEPS, SORTED, ROWS, ROUNDS = 1 << 24, 6, 3, 4096, 430
STEP, START, LEAST, MOST = 4.0, 5.0, 0.5, 60.0  # seconds, kilometres, millimetres
GROUND, LAPSE, WATER, MIDDLE, SWEPT, MELTED = 22.0, 6.5, 2.5, 6.0, 0.0012, 0.011
SHARES = (0.5, 0.9, 0.99, 0.999)

# Where a stone is after a step. Its place across the storm follows from its number, gusts from chance.
MOTION = f"""
    unsigned key = i * 0x9e3779b9u ^ number * 0x85ebca6bu;
    key = (key ^ key >> 16) * 0x7feb352du;
    key = (key ^ key >> 15) * 0x846ca68bu;
    const float gust = ((key ^ key >> 16) >> 8) * 0x1p-24f - 0.5f;
    float high = height, fast = speed, wide = radius;
    if (high <= 0.0f) {{
        high = {START}f + 2.0f * gust;
        fast = 0.0f;
        wide = {LEAST}f + 0.4f * fabsf(gust);
    }}
    const float across = (i & 1023) * (1.0f / 512.0f) - 1.0f;
    const float from_middle = (high - 7.0f) * 0.25f;
    const float lift = wind * __expf(-from_middle * from_middle - 1.5f * across * across) * (1.0f + 0.6f * gust);
    fast += 0.35f * (lift - 4.5f * sqrtf(wide) - fast);
    high = fminf(high + {STEP * 1e-3}f * fast, 14.0f);
"""

# How large it is then.
GROWTH = f"""
    const float warmth = {GROUND}f - {LAPSE}f * high;
    const float deep = high - {MIDDLE}f;
    const float water = {WATER}f * expf(-0.1f * deep * deep);
    const float frozen = fminf(fmaxf(-0.1f * warmth, 0.0f), 1.0f);
    const float gain = {SWEPT}f * water * frozen * fabsf(fast);
    const float loss = {MELTED}f * fmaxf(warmth, 0.0f) / wide;
    wide = fminf(fmaxf(wide + {STEP}f * (gain - loss), {LEAST}f), {MOST}f);
"""

BEFORE = "float32 wind, uint32 number, float32 height, float32 speed, float32 radius"
AFTER, KEEP = "float32 new_height, float32 new_speed, float32 new_radius", """
    new_height = high;
    new_speed = fast;
    new_radius = wide;
"""
moved = cp.ElementwiseKernel(BEFORE, AFTER, MOTION + KEEP, "moved")
moved_and_grown = cp.ElementwiseKernel(BEFORE, AFTER, MOTION + GROWTH + KEEP, "moved_and_grown")

# How much ice reaches the ground, for each row of stones.
fallen = cp.ReductionKernel("float32 height, float32 radius", "float32 ice",
                            "height <= 0.0f ? radius * radius * radius : 0.0f", "a + b", "ice = a", "0", "fallen")


def grown(height, speed, radius):
    warmth = GROUND - LAPSE * height  # fault
    water = WATER * cp.exp(-0.1 * cp.square(height - MIDDLE))  # fault
    frozen = cp.clip(-0.1 * warmth, 0, 1)  # fault
    gain = SWEPT * water * frozen * cp.abs(speed)  # fault
    loss = MELTED * cp.maximum(warmth, 0) / radius  # fault
    return cp.clip(radius + STEP * (gain - loss), LEAST, MOST)  # fault


class Storm:
    def __init__(self):
        numbers = cp.arange(STONES, dtype=cp.float32) * np.float32(1 / STONES)
        self.height = np.float32(3) + np.float32(6) * numbers
        self.speed, self.radius = cp.zeros(STONES, cp.float32), cp.full(STONES, LEAST, cp.float32)
        self.ranks = cp.asarray([int(share * STONES) for share in SHARES])
        self.sizes, self.ice = cp.zeros(len(SHARES), cp.float64), cp.zeros(ROWS, cp.float64)
        self.number = 0

    def changed(self, wind):
        state = self.height, self.speed, self.radius
        moved(wind, np.uint32(self.number), *state, *state)
        self.radius = grown(self.height, self.speed, self.radius)  # fault

    def changed_at_once(self, wind):
        state = self.height, self.speed, self.radius
        moved_and_grown(wind, np.uint32(self.number), *state, *state)

    def blow(self, change):
        for step in range(STEPS):
            change(np.float32(24 + 8 * np.sin(0.05 * self.number)))  # fault
            self.ice += fallen(self.height.reshape(ROWS, -1), self.radius.reshape(ROWS, -1), axis=1)
            self.number += 1
            if step % SORTED == SORTED - 1:
                self.sizes += cp.sort(self.radius)[self.ranks]

    def total(self):
        return float(self.sizes.sum()) / (STEPS // SORTED * ROUNDS) + float(self.ice.sum()) / (STONES * ROUNDS)


def hailing(change):
    storm = Storm()
    return lambda: storm.blow(lambda wind: change(storm, wind)), storm.total, ROUNDS


run_case(lambda: hailing(Storm.changed), lambda: hailing(Storm.changed_at_once))
