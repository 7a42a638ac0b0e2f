"""Finds broken solar panels in pictures of a drone's heat camera: each round, 96 pictures of 512 x 640 points become
temperatures by the camera's own curve, of 4096 numbers, are smoothed, and each panel of 32 x 32 points is searched for
spots that are hotter than the rest of it; what that costs is added up for each picture."""
import cupy as cp

from case import run_case

PICTURES, HIGH, WIDE, PANEL, CURVE, BLOCK, SPAN, EACH, SETS, ROUNDS = 96, 512, 640, 32, 4096, 256, 160, 8, 8, 3000
POINTS = HIGH * WIDE
PANELS = POINTS // PANEL ** 2

CODE = f"""
const int high = {HIGH}, wide = {WIDE}, panel = {PANEL}, each = {EACH}, points = {POINTS}, panels = {PANELS};

// Degrees for each 16 counts.
extern "C" {{
__constant__ float curve[{CURVE}];
}}

extern "C" __global__ void warm(const unsigned short* __restrict__ counts, float* __restrict__ warmth) {{
    const int first = blockIdx.x * blockDim.x * each + threadIdx.x;
    for (int number = 0; number < each; ++number) {{
        const int point = first + number * blockDim.x;
        warmth[point] = curve[counts[point] >> 4];
    }}
}}

extern "C" __global__ void warm_by_list(const unsigned short* __restrict__ counts, const float* __restrict__ list,
                                        float* __restrict__ warmth) {{
    const int first = blockIdx.x * blockDim.x * each + threadIdx.x;
    for (int number = 0; number < each; ++number) {{
        const int point = first + number * blockDim.x;
        warmth[point] = list[counts[point] >> 4];
    }}
}}

__device__ float lower(float& a, float& b) {{
    const float least = fminf(a, b);
    b = fmaxf(a, b);
    return a = least;
}}

// The middle one of a point and its four neighbours.
extern "C" __global__ void unspeckle(const float* warmth, float* told) {{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    const float* own = warmth + blockIdx.z * points;
    float a = own[row * wide + column], b = own[max(row - 1, 0) * wide + column];
    float c = own[min(row + 1, high - 1) * wide + column], d = own[row * wide + max(column - 1, 0)];
    float e = own[row * wide + min(column + 1, wide - 1)];
    lower(a, b), lower(d, e), lower(a, d), lower(b, e), lower(b, c), lower(c, d), lower(b, c);
    told[blockIdx.z * points + row * wide + column] = c;
}}

// Nine rows and nine columns of each point, in the mean.
extern "C" __global__ void smooth(const float* warmth, float* told) {{
    __shared__ float rows[{SPAN} + 8];
    const float* own = warmth + blockIdx.z * points;
    const int first = blockIdx.x * blockDim.x, row = blockIdx.y;
    for (int lane = threadIdx.x; lane < {SPAN} + 8; lane += blockDim.x) {{
        const int column = min(max(first + lane - 4, 0), wide - 1);
        float sum = 0.0f;
        for (int near = -4; near <= 4; ++near) sum += own[min(max(row + near, 0), high - 1) * wide + column];
        rows[lane] = sum;
    }}
    __syncthreads();
    const int column = first + threadIdx.x;
    float sum = 0.0f;
    for (int near = 0; near < 9; ++near) sum += rows[threadIdx.x + near];
    told[blockIdx.z * points + row * wide + column] = sum * (1.0f / 81.0f);
}}

__device__ float block_sum(float own, float* parts) {{
    for (int step = 16; step; step >>= 1) own += __shfl_xor_sync(0xffffffffu, own, step);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = own;
    __syncthreads();
    float sum = 0.0f;
    for (int warp = 0; warp < {BLOCK // 32}; ++warp) sum += parts[warp];
    return sum;
}}

// A block has a panel. A spot is a point that is much hotter than the panel, by itself and with what is around it.
extern "C" __global__ void find_spots(const float* clean, const float* smoothed, float* lost) {{
    __shared__ float parts[{BLOCK // 32}];
    const int across = wide / panel, corner = blockIdx.x / across * panel * wide + blockIdx.x % across * panel;
    const int column = threadIdx.x % panel, first = threadIdx.x / panel, step = blockDim.x / panel;
    const long long start = (long long)blockIdx.y * points + corner;
    float own[{PANEL * PANEL // BLOCK}], sum = 0.0f, square = 0.0f;
    for (int number = 0; number < {PANEL * PANEL // BLOCK}; ++number) {{
        own[number] = clean[start + (first + number * step) * wide + column];
        sum += own[number];
    }}
    const float mean = block_sum(sum, parts) / (panel * panel);
    for (int number = 0; number < {PANEL * PANEL // BLOCK}; ++number)
        square += (own[number] - mean) * (own[number] - mean);
    const float spread = sqrtf(block_sum(square, parts) / (panel * panel));
    float hot = 0.0f;
    for (int number = 0; number < {PANEL * PANEL // BLOCK}; ++number) {{
        const float around = smoothed[start + (first + number * step) * wide + column];
        if (own[number] > mean + 1.5f * spread && around > mean + 0.5f * spread) hot += own[number] - mean;
    }}
    hot = block_sum(hot, parts);
    if (threadIdx.x == 0) lost[blockIdx.y * panels + blockIdx.x] = hot;
}}
"""


def made_curve():
    return (cp.sqrt(cp.arange(CURVE, dtype=cp.float32)) * 2.5 - 40).astype(cp.float32)


def made_counts():
    """Panels are warm, their frames are colder, and some points are hot."""
    random = cp.random.RandomState(1)
    rows, columns = cp.arange(HIGH)[:, None] % PANEL, cp.arange(WIDE) % PANEL
    frame = ((rows < 2) | (columns < 2)).astype(cp.float32)
    counts = cp.empty((SETS, PICTURES, HIGH, WIDE), cp.uint16)
    for pictures in counts:
        level = 30000 + 6000 * random.standard_normal((PICTURES, HIGH // PANEL, WIDE // PANEL), dtype=cp.float32)
        warm = cp.repeat(cp.repeat(level, PANEL, 1), PANEL, 2) - 4000 * frame
        warm += 120 * random.standard_normal((PICTURES, HIGH, WIDE), dtype=cp.float32)
        hot = random.uniform(size=(PICTURES, HIGH // 8, WIDE // 8), dtype=cp.float32) < 0.01
        warm += 9000 * cp.repeat(cp.repeat(hot, 8, 1), 8, 2)
        pictures[...] = cp.clip(warm, 0, 65535).astype(cp.uint16)
    return counts


class Flight:
    def __init__(self):
        self.counts, self.number = made_counts(), 0
        shape = PICTURES, HIGH, WIDE
        self.warmth, self.clean, self.smoothed = (cp.empty(shape, cp.float32) for _ in range(3))
        self.lost, self.cost = cp.empty((PICTURES, PANELS), cp.float32), cp.zeros(PICTURES, cp.float64)
        self.code = cp.RawModule(code=CODE, options=("-std=c++14",))
        self.unspeckle, self.smooth, self.find_spots = (
            self.code.get_function(name) for name in ("unspeckle", "smooth", "find_spots"))
        self.grid = PICTURES * POINTS // (BLOCK * EACH),

    def warm(self, counts):
        raise NotImplementedError

    def look(self):
        self.warm(self.counts[self.number % SETS])  # fault
        self.unspeckle((WIDE // SPAN, HIGH, PICTURES), (SPAN,), (self.warmth, self.clean))
        self.smooth((WIDE // SPAN, HIGH, PICTURES), (SPAN,), (self.clean, self.smoothed))
        self.find_spots((PANELS, PICTURES), (BLOCK,), (self.clean, self.smoothed, self.lost))
        self.cost += self.lost.sum(1)
        self.number += 1

    def total(self):
        return self.cost.sum() / (PICTURES * PANELS)


class FlightOfConstants(Flight):
    def __init__(self):
        super().__init__()
        cp.ndarray((CURVE,), cp.float32, self.code.get_global("curve"))[...] = made_curve()
        self.kernel = self.code.get_function("warm")

    def warm(self, counts):
        self.kernel(self.grid, (BLOCK,), (counts, self.warmth))  # fault


class FlightOfLists(Flight):
    def __init__(self):
        super().__init__()
        self.curve, self.kernel = made_curve(), self.code.get_function("warm_by_list")

    def warm(self, counts):
        self.kernel(self.grid, (BLOCK,), (counts, self.curve, self.warmth))


def shining(kind):
    flight = kind()
    return flight.look, flight.total, ROUNDS


run_case(lambda: shining(FlightOfConstants), lambda: shining(FlightOfLists))
