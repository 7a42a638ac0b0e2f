"""Simulates a cloud by 16.8 million droplets: each round is 20 steps, in which droplets are carried by eddies, fall,
grow or dry up, and are replaced where they have rained out. How much vapour is left follows from what all have taken.
After the steps droplets are counted by their height and size, and the effective radius of each layer is worked out."""
import cupy as cp
import cupyx
import numpy as np

from case import run_case

DROPLETS, LAYERS, SIZES, STEPS, BLOCKS, THREADS, COUNTERS, ROUNDS = 1 << 24, 16, 64, 20, 1056, 256, 264, 560
CELLS, SMALLEST, LARGEST = LAYERS * SIZES, 1.0, 40.0

CODE = f"""
const int droplets = {DROPLETS}, layers = {LAYERS}, sizes = {SIZES}, cells = {CELLS};
const float smallest = {SMALLEST}f, largest = {LARGEST}f;

__device__ unsigned mixed(unsigned key) {{
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    key *= 0x846ca68bu;
    return key ^ (key >> 16);
}}

// Mean zero, and nearly normal with a deviation of one.
__device__ float noise(unsigned bits) {{
    const unsigned total = (bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24);
    return (total - 510.0f) * (1.0f / 147.8f);
}}

// Heights go from zero to one. The sum of what the droplets of a block have taken goes to `taken`.
extern "C" __global__ void move(float* __restrict__ radius, float* __restrict__ height, float* __restrict__ eddy,
                                const float* __restrict__ vapour, float* __restrict__ taken, unsigned number,
                                float updraft) {{
    __shared__ float parts[{THREADS} / 32];
    const float wet = *vapour;
    float sum = 0.0f;
    for (int own = blockIdx.x * blockDim.x + threadIdx.x; own < droplets; own += gridDim.x * blockDim.x) {{
        const unsigned bits = mixed(own ^ mixed(number));
        const float before = radius[own], speed = 0.95f * eddy[own] + 0.004f * noise(bits);
        const float over = wet * (0.4f + height[own]) - 0.6f + 4.0f * speed;
        float after = sqrtf(fmaxf(before * before + 1.5f * over, smallest * smallest));
        float there = height[own] + speed + updraft - 2e-5f * before * before;
        if (there < 0.0f || after > largest) {{
            there = mixed(bits) * 2.3283064e-10f;
            after = smallest + 4.0f * (bits >> 8) * 5.9604645e-8f;
        }}
        sum += after * after * after - before * before * before;
        radius[own] = after;
        height[own] = fminf(there, 2.0f - there);
        eddy[own] = there > 1.0f ? -speed : speed;
    }}
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {{
        for (int warp = 1; warp < blockDim.x / 32; ++warp) sum += parts[warp];
        taken[blockIdx.x] = sum;
    }}
}}

// One warp: vapour that is left, and what rises from below.
extern "C" __global__ void balance(const float* __restrict__ taken, float* __restrict__ vapour) {{
    float sum = 0.0f;
    for (int block = threadIdx.x; block < {BLOCKS}; block += 32) sum += taken[block];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x == 0) {{
        const float left = *vapour - 2e-3f * sum / droplets + 0.02f * (1.0f - *vapour);
        *vapour = fminf(fmaxf(left, 0.2f), 2.0f);
    }}
}}

// Layer and size of each droplet; sizes are steps of the logarithm of its radius.
extern "C" __global__ void classify(const float* __restrict__ radius, const float* __restrict__ height,
                                    int* __restrict__ cell) {{
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    const int layer = min(static_cast<int>(height[own] * layers), layers - 1);
    const float place = __logf(radius[own] / smallest) * (sizes / {np.log(LARGEST / SMALLEST):.7f}f);
    cell[own] = layer * sizes + max(min(static_cast<int>(place), sizes - 1), 0);
}}

extern "C" __global__ void collect(const int* __restrict__ cell, int* __restrict__ counts) {{
    __shared__ int own_counts[cells];
    for (int place = threadIdx.x; place < cells; place += blockDim.x) own_counts[place] = 0;
    __syncthreads();
    const int4* all = reinterpret_cast<const int4*>(cell);
    for (int own = blockIdx.x * blockDim.x + threadIdx.x; own < droplets / 4; own += gridDim.x * blockDim.x) {{
        const int4 four = all[own];
        atomicAdd(&own_counts[four.x], 1);
        atomicAdd(&own_counts[four.y], 1);
        atomicAdd(&own_counts[four.z], 1);
        atomicAdd(&own_counts[four.w], 1);
    }}
    __syncthreads();
    for (int place = threadIdx.x; place < cells; place += blockDim.x)
        if (own_counts[place] > 0) atomicAdd(&counts[place], own_counts[place]);
}}
"""


class Cloud:
    def __init__(self, by_block):
        code = cp.RawModule(code=CODE, options=("-std=c++17",))
        self.move, self.balance, self.classify, self.collect = (
            code.get_function(name) for name in ("move", "balance", "classify", "collect"))
        random = cp.random.RandomState(1)
        self.radius = SMALLEST + 5 * random.uniform(size=DROPLETS, dtype=cp.float32)
        self.height = random.uniform(size=DROPLETS, dtype=cp.float32)
        self.eddy, self.cell = cp.zeros(DROPLETS, cp.float32), cp.zeros(DROPLETS, cp.int32)
        self.vapour, self.taken = cp.ones(1, cp.float32), cp.zeros(BLOCKS, cp.float32)
        self.counts, self.one = cp.zeros(CELLS, cp.int32), cp.ones((), cp.int32)
        self.middles = (LARGEST / SMALLEST) ** ((cp.arange(SIZES, dtype=cp.float32) + 0.5) / SIZES) * SMALLEST
        self.powers = cp.stack((self.middles ** 2, self.middles ** 3), 1).astype(cp.float32)
        self.effective = cp.zeros(LAYERS, cp.float32)
        self.by_block, self.number = by_block, 0

    def count(self):
        """Droplets of each layer and size."""
        self.counts.fill(0)
        self.classify((DROPLETS // THREADS,), (THREADS,), (self.radius, self.height, self.cell))
        if self.by_block:
            self.collect((COUNTERS,), (4 * THREADS,), (self.cell, self.counts))
        else:
            cupyx.scatter_add(self.counts, self.cell, self.one)  # fault
        return self.counts.reshape(LAYERS, SIZES)

    def live(self):
        for _ in range(STEPS):
            updraft = np.float32(0.001 * np.sin(0.003 * self.number))
            self.move((BLOCKS,), (THREADS,), (self.radius, self.height, self.eddy, self.vapour, self.taken,
                                              np.uint32(self.number), updraft))
            self.balance((1,), (32,), (self.taken, self.vapour))
            self.number += 1
        squares, cubes = (self.count().astype(cp.float32) @ self.powers).T  # fault
        self.effective += cubes / cp.maximum(squares, 1)

    def total(self):
        return self.effective.sum() + self.vapour[0]


def raining(by_block):
    cloud = Cloud(by_block)
    return cloud.live, cloud.total, ROUNDS


run_case(lambda: raining(False), lambda: raining(True))
