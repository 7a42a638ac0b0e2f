"""Follows the ash of a volcano: in each of a round's 40 steps, wind between two hourly forecasts is mixed for a grid of
512 x 512 x 64 cells, and 16 million grains of ash are carried by it in two half steps each, fall at speeds of their own
and are stirred by chance; how high they are is summed at the end of a round. Grains leave the grid on one side and come
back on the other."""
import cupy as cp

from case import run_case

GRAINS, WIDE, HIGH, STEPS, STIR, PULL, ROUNDS = 1 << 24, 512, 64, 40, 0.05, 0.02, 46

mix = cp.ElementwiseKernel(
    "float32 before, float32 after, float32 share", "float32 wind", "wind = before + share * (after - before)", "mix")

WIND = f"""
__device__ int wrapped(int place, int size) {{ return place & (size - 1); }}

__device__ float3 wind_at(const float4* wind, float x, float y, float z) {{
    const float left = floorf(x), front = floorf(y), low = fminf(floorf(z), {HIGH - 2}.0f);
    const float a = x - left, b = y - front, c = z - low;
    const int x0 = wrapped((int)left, {WIDE}), x1 = wrapped((int)left + 1, {WIDE});
    const int y0 = wrapped((int)front, {WIDE}), y1 = wrapped((int)front + 1, {WIDE}), z0 = (int)low;
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int corner = 0; corner < 8; ++corner) {{
        const int row = (z0 + (corner >> 2)) * {WIDE} + (corner & 2 ? y1 : y0);
        const float4 own = wind[row * {WIDE} + (corner & 1 ? x1 : x0)];
        const float weight = (corner & 1 ? a : 1.0f - a) * (corner & 2 ? b : 1.0f - b) * (corner & 4 ? c : 1.0f - c);
        sum.x += weight * own.x;
        sum.y += weight * own.y;
        sum.z += weight * own.z;
    }}
    return sum;
}}

__device__ unsigned mixed(unsigned bits) {{
    bits = (bits ^ (bits >> 16)) * 0x7feb352dU;
    bits = (bits ^ (bits >> 15)) * 0x846ca68bU;
    return bits ^ (bits >> 16);
}}

__device__ float chance(unsigned bits) {{ return (float)(mixed(bits) >> 8) * (2.0f / 16777216.0f) - 1.0f; }}
"""

carry = cp.ElementwiseKernel(
    "raw float32 wind, float32 fall, uint32 name, uint32 step, float32 stir", "float32 x, float32 y, float32 z", f"""
    const float4* cells = (const float4*)&wind[0];
    const float left = x, front = y, low = z, wide = {WIDE}.0f, top = {HIGH - 1}.0f;
    const float3 first = wind_at(cells, left, front, low);
    const float midway = fminf(fmaxf(low + 0.5f * (first.z - fall), 0.0f), top);
    const float3 middle = wind_at(cells, left + 0.5f * first.x, front + 0.5f * first.y, midway);
    const unsigned own = mixed(name ^ (step * 0x9e3779b9U));
    float right = left + middle.x + stir * chance(own), back = front + middle.y + stir * chance(own + 1);
    right -= wide * floorf(right / wide);
    back -= wide * floorf(back / wide);
    x = right < wide ? right : 0.0f;
    y = back < wide ? back : 0.0f;
    z = fminf(fmaxf(low + middle.z - fall + stir * chance(own + 2), 0.0f), top);
""", "carry", preamble=WIND)

cell_of = cp.ElementwiseKernel(
    "float32 x, float32 y, float32 z", "uint32 cell",
    f"cell = ((unsigned)z * {WIDE} + (unsigned)y) * {WIDE} + (unsigned)x", "cell_of")


def made_wind(turn):
    """Along each axis and up, four numbers a cell; whirls that are as wide as a quarter of the grid."""
    along = cp.arange(WIDE, dtype=cp.float32) * (8 * cp.pi / WIDE)
    up = cp.arange(HIGH, dtype=cp.float32)[:, None, None] / HIGH
    wind = cp.zeros((HIGH, WIDE, WIDE, 4), cp.float32)
    wind[..., 0] = 0.3 * cp.sin(along + turn)[:, None] * (0.5 + up)
    wind[..., 1] = 0.3 * cp.cos(along - turn) * (0.5 + up)
    wind[..., 2] = 0.02 * cp.sin(along + turn) * cp.cos(along)[:, None] + 0.01
    return wind


class Plume:
    def __init__(self):
        random = cp.random.RandomState(1)
        self.x, self.y = (random.uniform(0, WIDE - 1, GRAINS, dtype=cp.float32) for _ in range(2))
        self.z = random.uniform(0, HIGH - 2, GRAINS, dtype=cp.float32)
        self.fall = random.uniform(0, PULL, GRAINS, dtype=cp.float32)
        self.name = cp.arange(GRAINS, dtype=cp.uint32)
        self.before, self.after = made_wind(0.0), made_wind(0.6)
        self.wind, self.step, self.heights = cp.empty_like(self.before), 0, cp.zeros((), cp.float64)

    def settle(self):
        """What is done with the grains before the steps of a round."""

    def follow(self):
        self.settle()
        for number in range(STEPS):
            mix(self.before, self.after, (number + 0.5) / STEPS, self.wind)
            carry(self.wind, self.fall, self.name, self.step, STIR, self.x, self.y, self.z)  # fault
            self.step += 1
        self.heights += self.z.mean(dtype=cp.float64)
        self.before, self.after = self.after, self.before


class PlumeOfCells(Plume):
    def settle(self):
        order = cp.argsort(cell_of(self.x, self.y, self.z))
        self.x, self.y, self.z = self.x[order], self.y[order], self.z[order]
        self.fall, self.name = self.fall[order], self.name[order]


def erupting(kind):
    plume = kind()
    return plume.follow, lambda: plume.heights, ROUNDS


run_case(lambda: erupting(Plume), lambda: erupting(PlumeOfCells))
