"""Works out what a pension fund can promise: each round, 4.2 million lives of forty years are drawn month by month,
each with its own pay, yields of shares and bonds and rises of prices. A thread has a life and keeps it in registers.
What the savings are worth at the end of each year is averaged, and the pensions are sorted to read off their shares."""
import cupy as cp
import numpy as np

from case import run_case

LIVES, YEARS, THREADS, ROUNDS = 1 << 22, 40, 256, 270
BLOCKS, SHARES = LIVES // THREADS, (0.01, 0.05, 0.25, 0.5, 0.75, 0.95)

CODE = f"""
const int years = {YEARS}, threads = {THREADS}, warps = threads / 32;

__device__ unsigned mixed(unsigned key) {{
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    key *= 0x846ca68bu;
    return key ^ (key >> 16);
}}

// Two numbers that are nearly normal and have nothing to do with each other.
__device__ float2 normal(unsigned key) {{
    const unsigned one = mixed(key), other = mixed(one + 0x9e3779b9u);
    const float far = sqrtf(-2.0f * __logf((one >> 8) * 0x1p-24f + 0x1p-25f));
    float sine, cosine;
    __sincosf((other >> 8) * (0x1p-24f * 6.2831853f), &sine, &cosine);
    return make_float2(far * cosine, far * sine);
}}

__device__ float sum_of_warp(float value) {{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffffu, value, step);
    return value;
}}

// pensions: of each life, a month in money of today; worth: sums of savings, for each year by blocks.
extern "C" __global__ void __launch_bounds__(threads) live(
        unsigned seed, float yield, float swing, float prices, float* pensions, float* worth) {{
    __shared__ float parts[years][warps];
    const int life = blockIdx.x * threads + threadIdx.x, warp = threadIdx.x / 32;
    const unsigned start = mixed(seed ^ mixed(life));
    float savings = 0.0f, rise = prices, level = 1.0f;
    float pay = 2.0f + 1.5f * (start >> 8) * 0x1p-24f;
    for (int year = 0; year < years; ++year) {{
        const float risky = year < years / 2 ? 0.8f : 0.8f - 0.6f * (year - years / 2) / (years / 2);
        for (int month = 0; month < 12; ++month) {{
            const float2 noise = normal(start + 2 * (12 * year + month));
            rise += 0.02f * (prices - rise) + 0.0004f * noise.y;
            const float shares = yield + rise + swing * noise.x;
            const float bonds = 0.25f * yield + prices + 0.004f * noise.y;
            savings = savings * __expf(risky * shares + (1.0f - risky) * bonds) + 0.12f * pay;
            pay *= __expf(rise + 0.0008f);
            level *= __expf(rise);
        }}
        const float sum = sum_of_warp(__fdividef(savings, level));
        if (threadIdx.x % 32 == 0)
            parts[year][warp] = sum;
    }}
    pensions[life] = __fdividef(savings, level) / 240.0f;
    __syncthreads();
    if (threadIdx.x < years) {{
        float sum = 0.0f;
        for (int other = 0; other < warps; ++other)
            sum += parts[threadIdx.x][other];
        worth[threadIdx.x * gridDim.x + blockIdx.x] = sum;
    }}
}}
"""

live = cp.RawKernel(CODE, "live", options=("--std=c++17",))


class Fund:
    """Each round looks at markets of its own: what shares yield, how they swing, and how prices rise."""
    def __init__(self):
        self.pensions = cp.empty(LIVES, cp.float32)
        self.worth = cp.empty((YEARS, BLOCKS), cp.float32)
        self.ranks = cp.asarray([int(share * LIVES) for share in SHARES])
        self.promised = cp.zeros(len(SHARES), cp.float64)
        self.saved = cp.zeros(YEARS, cp.float64)
        self.number = 0

    def foresee(self):
        turn = 0.7 * self.number
        yields = np.float32(0.003 + 0.001 * np.sin(turn))
        swing = np.float32(0.04 + 0.01 * np.cos(0.6 * turn))
        prices = np.float32(0.0018 + 0.0006 * np.sin(0.3 * turn))
        live((BLOCKS,), (THREADS,),
             (np.uint32(977 * self.number + 1), yields, swing, prices, self.pensions, self.worth))
        self.saved += self.worth.sum(1) / LIVES
        self.pensions.sort()
        self.promised += self.pensions[self.ranks]
        self.number += 1

    def total(self):
        return float(self.promised.sum() + self.saved.sum() / YEARS)


def saving():
    fund = Fund()
    return fund.foresee, fund.total, ROUNDS


run_case(None, saving)
