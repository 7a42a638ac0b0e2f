"""Keeps account of the water of farmland: each round is a fortnight of 8.4 million plots. A day has rain, which is
interpolated between gauges, what plants and sun take from the soil, what farmers add where it is dry, how plants grow,
and ground water, which flows between plots in five steps. What is used and added is summed up by districts."""
import cupy as cp
import numpy as np

from case import run_case

ROWS, COLUMNS, GAUGE_ROWS, GAUGE_COLUMNS, DISTRICTS = 2048, 4096, 16, 32, 1024
DAYS, FLOWS, BLOCK, ROUNDS = 14, 5, 256, 330
PLOTS, YEAR = ROWS * COLUMNS, 365

CODE = f"""
const int rows = {ROWS}, columns = {COLUMNS}, gauge_rows = {GAUGE_ROWS}, gauge_columns = {GAUGE_COLUMNS};

// Rain of a plot, between the four gauges around it.
extern "C" __global__ void interpolate(const float* __restrict__ gauges, float* __restrict__ rain) {{
    const int plot = blockIdx.x * blockDim.x + threadIdx.x;
    const float row = (plot / columns) * ((gauge_rows - 1.0f) / rows);
    const float column = (plot % columns) * ((gauge_columns - 1.0f) / columns);
    const int top = row, left = column;
    const float down = row - top, across = column - left;
    const float* own = gauges + top * gauge_columns + left;
    const float upper = own[0] + across * (own[1] - own[0]);
    const float lower = own[gauge_columns] + across * (own[gauge_columns + 1] - own[gauge_columns]);
    rain[plot] = upper + down * (lower - upper);
}}

// Ground water flows to where it stands lower; nothing leaves at the borders.
extern "C" __global__ void flow(const float* __restrict__ ground, const float* __restrict__ height,
                                float* __restrict__ after) {{
    const int plot = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = plot / columns, column = plot % columns;
    const int up = row > 0 ? plot - columns : plot, down = row < rows - 1 ? plot + columns : plot;
    const int left = column > 0 ? plot - 1 : plot, right = column < columns - 1 ? plot + 1 : plot;
    const float own = ground[plot], level = own + height[plot];
    float moved = 0.0f;
    const int others[] = {{up, down, left, right}};
#pragma unroll
    for (int side = 0; side < 4; ++side) {{
        const float other = ground[others[side]];
        const float fall = other + height[others[side]] - level;
        moved += fmaxf(fminf(0.1f * fall, 0.2f * other), -0.2f * own);
    }}
    after[plot] = own + moved;
}}
"""

live_joined = cp.ElementwiseKernel(
    "float32 water, float32 cover, float32 ground, float32 rain, float32 room, float32 sun, float32 warmth",
    "float32 water_after, float32 cover_after, float32 ground_after, float32 used, float32 added",
    """
    const float share = water / room;
    const float asked = sun * (0.7f + 0.04f * warmth);
    const float taken = asked * (0.3f + 0.7f * cover) * fminf(share, 1.0f);
    added = share < 0.3f ? 0.25f * room : 0.0f;
    const float filled = fmaxf(water - taken + rain + added, 0.0f);
    const float over = fmaxf(filled - room, 0.0f);
    water_after = filled - over;
    ground_after = 0.985f * ground + 0.6f * over + 0.2f;
    cover_after = fmaxf(cover + 0.01f * share * warmth * cover * (1.0f - cover) - 0.03f * cover, 0.05f);
    used = taken;
    """, "live_joined")


def live(water, cover, ground, rain, room, sun, warmth):
    """A day of all plots: water, cover and ground water after it, what was used, and what farmers have added."""
    share = water / room  # fault
    asked = sun * np.float32(0.7 + 0.04 * warmth)  # fault
    taken = asked * (0.3 + 0.7 * cover) * cp.minimum(share, 1)  # fault
    added = cp.where(share < 0.3, 0.25 * room, np.float32(0))  # fault
    filled = cp.maximum(water - taken + rain + added, 0)  # fault
    over = cp.maximum(filled - room, 0)  # fault
    grown = share * cover * (1 - cover) * np.float32(0.01 * warmth)  # fault
    cover = cp.maximum(cover + grown - 0.03 * cover, 0.05)  # fault
    return filled - over, cover, 0.985 * ground + 0.6 * over + 0.2, taken, added  # fault


class Land:
    def __init__(self, live):
        code = cp.RawModule(code=CODE, options=("-std=c++14",))
        self.interpolate, self.flow, self.live = code.get_function("interpolate"), code.get_function("flow"), live
        random = cp.random.RandomState(1)
        self.room = 60 + 80 * random.uniform(size=PLOTS, dtype=cp.float32)
        self.sun = 2 + 2 * random.uniform(size=PLOTS, dtype=cp.float32)
        self.height = 40 * random.uniform(size=PLOTS, dtype=cp.float32)
        self.gauges = 8 * random.uniform(size=(YEAR, GAUGE_ROWS, GAUGE_COLUMNS), dtype=cp.float32) ** 3
        self.water, self.cover = 0.6 * self.room, cp.full(PLOTS, 0.3, cp.float32)
        self.ground, self.other = cp.full(PLOTS, 20, cp.float32), cp.empty(PLOTS, cp.float32)
        self.rain = cp.empty(PLOTS, cp.float32)
        self.used, self.added = cp.zeros((2, DISTRICTS), cp.float32)
        self.grid, self.block, self.number = (PLOTS // BLOCK,), (BLOCK,), 0

    def day(self):
        warmth = np.float32(14 + 10 * np.sin(2 * np.pi * self.number / YEAR))
        self.interpolate(self.grid, self.block, (self.gauges[self.number % YEAR], self.rain))
        self.water, self.cover, self.ground, used, added = self.live(  # fault
            self.water, self.cover, self.ground, self.rain, self.room, self.sun, warmth)
        for _ in range(FLOWS):
            self.flow(self.grid, self.block, (self.ground, self.height, self.other))
            self.ground, self.other = self.other, self.ground
        self.used += used.reshape(DISTRICTS, -1).mean(1)
        self.added += added.reshape(DISTRICTS, -1).mean(1)
        self.number += 1

    def fortnight(self):
        for _ in range(DAYS):
            self.day()  # fault

    def total(self):
        return (self.used.sum() + self.added.sum()) / DISTRICTS


def farming(live):
    land = Land(live)
    return land.fortnight, land.total, ROUNDS


run_case(lambda: farming(live), lambda: farming(live_joined))
