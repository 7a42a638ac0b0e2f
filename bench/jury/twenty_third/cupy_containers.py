"""Follows a million freight containers by what their beacons tell: each round reads where each container seems to be,
takes a step of its Kalman filter (place, speed and acceleration, along two axes), finds out how far it will be from the
nearest of 768 ports, and adds up how far readings differ from what was foretold."""
import cupy as cp
import numpy as np

from case import run_case

CONTAINERS, PORTS, BLOCK, PARTS, ROUNDS = 1 << 20, 768, 256, 6, 5600

CODE = f"""
const int containers = {CONTAINERS}, ports = {PORTS}, parts = {PARTS};
const float step = 1.0f, noise = 0.05f, jerk = 2e-5f, hour = 4.0f;

// Where a number of a container's filter is.
__device__ int at(int container, int number, int numbers) {{
#ifdef BY_NUMBER
    return number * containers + container;
#else
    return container * numbers + number;
#endif
}}

__device__ unsigned mixed(unsigned own) {{
    own = (own ^ (own >> 16)) * 0x7feb352du;
    own = (own ^ (own >> 15)) * 0x846ca68bu;
    return own ^ (own >> 16);
}}

__device__ float drawn(unsigned seed) {{ return mixed(seed) * (1.0f / 4294967296.0f); }}

// Containers go round, each on its own way, and beacons tell where, and how far they may be wrong.
extern "C" __global__ void tell(int round, const float4* __restrict__ ways, float2* __restrict__ readings,
                                float* __restrict__ doubts) {{
    const int container = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 way = ways[container];
    float east, north;
    sincospif(way.w + 0.006f * way.z * round, &north, &east);
    const unsigned seed = mixed(round * 2654435761u + container) * 4u;
    const float scale = noise * (0.5f + drawn(seed)), width = 3.46f * scale;
    const float one = (drawn(seed + 1u) - 0.5f) * width, other = (drawn(seed + 2u) - 0.5f) * width;
    readings[container] = make_float2(way.x + way.z * east + one, way.y + way.z * north + other);
    doubts[container] = scale * scale;
}}

extern "C" __global__ void start(const float2* __restrict__ readings, float* states, float* spreads) {{
    const int container = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 reading = readings[container];
    for (int row = 0; row < parts; ++row) {{
        states[at(container, row, parts)] = row == 0 ? reading.x : row == 1 ? reading.y : 0.0f;
        for (int column = 0; column < parts; ++column) {{
            const float spread = row != column ? 0.0f : row < 2 ? 0.01f : 0.001f;
            spreads[at(container, row * parts + column, parts * parts)] = spread;
        }}
    }}
}}

// What is foretold from the last round, and what the reading changes about it, axis by axis.
extern "C" __global__ void follow(const float2* __restrict__ readings, const float* __restrict__ doubts,
                                  float* __restrict__ states, float* __restrict__ spreads,
                                  float2* __restrict__ places, float* __restrict__ errors) {{
    const int container = blockIdx.x * blockDim.x + threadIdx.x;
    float state[parts], spread[parts][parts];
#pragma unroll
    for (int row = 0; row < parts; ++row) {{
        state[row] = states[at(container, row, parts)];
#pragma unroll
        for (int column = 0; column < parts; ++column)
            spread[row][column] = spreads[at(container, row * parts + column, parts * parts)];
    }}
    const float half = 0.5f * step * step;
#pragma unroll
    for (int axis = 0; axis < 2; ++axis) {{
        state[axis] += step * state[axis + 2] + half * state[axis + 4];
        state[axis + 2] += step * state[axis + 4];
#pragma unroll
        for (int column = 0; column < parts; ++column) {{
            spread[axis][column] += step * spread[axis + 2][column] + half * spread[axis + 4][column];
            spread[axis + 2][column] += step * spread[axis + 4][column];
        }}
    }}
#pragma unroll
    for (int axis = 0; axis < 2; ++axis)
#pragma unroll
        for (int row = 0; row < parts; ++row) {{
            spread[row][axis] += step * spread[row][axis + 2] + half * spread[row][axis + 4];
            spread[row][axis + 2] += step * spread[row][axis + 4];
        }}
#pragma unroll
    for (int axis = 0; axis < 2; ++axis) {{
        spread[axis][axis] += 0.25f * jerk;
        spread[axis + 2][axis + 2] += jerk;
        spread[axis + 4][axis + 4] += jerk;
    }}
    const float2 reading = readings[container];
    const float doubt = doubts[container];
    float error = 0.0f;
#pragma unroll
    for (int axis = 0; axis < 2; ++axis) {{
        const float miss = (axis ? reading.y : reading.x) - state[axis];
        const float scale = 1.0f / (spread[axis][axis] + doubt);
        error += miss * miss * scale;
        float gain[parts], own[parts];
#pragma unroll
        for (int row = 0; row < parts; ++row) {{
            gain[row] = spread[row][axis] * scale;
            own[row] = spread[axis][row];
        }}
#pragma unroll
        for (int row = 0; row < parts; ++row) {{
            state[row] += gain[row] * miss;
#pragma unroll
            for (int column = 0; column < parts; ++column) spread[row][column] -= gain[row] * own[column];
        }}
    }}
#pragma unroll
    for (int row = 0; row < parts; ++row) {{
        states[at(container, row, parts)] = state[row];
#pragma unroll
        for (int column = 0; column < parts; ++column)
            spreads[at(container, row * parts + column, parts * parts)] = spread[row][column];
    }}
    places[container] = make_float2(state[0] + hour * state[2], state[1] + hour * state[3]);
    errors[container] = error;
}}

// How far a container will be from the nearest port; a block adds up its own.
extern "C" __global__ void approach(const float2* __restrict__ places, const float2* __restrict__ harbours,
                                    const float* __restrict__ errors, float2* __restrict__ sums) {{
    __shared__ float2 near[ports];
    __shared__ float2 warps[{BLOCK // 32}];
    for (int port = threadIdx.x; port < ports; port += blockDim.x) near[port] = harbours[port];
    __syncthreads();
    const int container = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 place = places[container];
    float least = 1e30f;
#pragma unroll 8
    for (int port = 0; port < ports; ++port) {{
        const float east = near[port].x - place.x, north = near[port].y - place.y;
        least = fminf(least, east * east + north * north);
    }}
    float2 own = make_float2(sqrtf(least), errors[container]);
    for (int other = 16; other; other >>= 1) {{
        own.x += __shfl_xor_sync(0xffffffffu, own.x, other);
        own.y += __shfl_xor_sync(0xffffffffu, own.y, other);
    }}
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x) return;
    float2 sum = make_float2(0.0f, 0.0f);
    for (int warp = 0; warp < {BLOCK // 32}; ++warp) sum.x += warps[warp].x, sum.y += warps[warp].y;
    sums[blockIdx.x] = sum;
}}
"""


class Fleet:
    """Filters lie container by container, or number by number."""
    def __init__(self, *options):
        code = cp.RawModule(code=CODE, options=("-std=c++14", *options))
        self.tell, self.follow, self.approach = (code.get_function(name) for name in ("tell", "follow", "approach"))
        random = cp.random.RandomState(1)
        self.ways = random.uniform(size=(CONTAINERS, 4), dtype=cp.float32)
        self.ways *= cp.array([100, 100, 1, 2], cp.float32)
        self.harbours = 100 * random.uniform(size=(PORTS, 2), dtype=cp.float32)
        self.readings, self.places = (cp.empty((CONTAINERS, 2), cp.float32) for _ in range(2))
        self.states = cp.empty(CONTAINERS * PARTS, cp.float32)
        self.spreads = cp.empty(CONTAINERS * PARTS * PARTS, cp.float32)
        self.errors, self.doubts = (cp.empty(CONTAINERS, cp.float32) for _ in range(2))
        self.sums, self.told = cp.empty((CONTAINERS // BLOCK, 2), cp.float32), cp.zeros(2, cp.float64)
        self.number, self.grid, self.block = 0, (CONTAINERS // BLOCK,), (BLOCK,)
        self.read()
        code.get_function("start")(self.grid, self.block, (self.readings, self.states, self.spreads))

    def read(self):
        self.tell(self.grid, self.block, (np.int32(self.number), self.ways, self.readings, self.doubts))
        self.number += 1

    def sail(self):
        self.read()
        self.follow(self.grid, self.block, (  # fault
            self.readings, self.doubts, self.states, self.spreads, self.places, self.errors))
        self.approach(self.grid, self.block, (self.places, self.harbours, self.errors, self.sums))
        self.told += self.sums.sum(0)

    def total(self):
        return self.told.sum() / CONTAINERS


def sailing(*options):
    fleet = Fleet(*options)
    return fleet.sail, fleet.total, ROUNDS


run_case(lambda: sailing(), lambda: sailing("-DBY_NUMBER"))
