"""Shows a turning figure as a hologram: each round works out the red, the green and the blue hologram of 1024 points of
light, each on 1024 x 1024 cells of a phase modulator, which takes 256 steps. What an eye would see far away is worked
out from the steps, as a check: how much of the light goes where the points are, and how much is lost in speckles."""
import cupy as cp
import numpy as np
from cupyx.scipy import fft

from case import run_case

CELLS, POINTS, LEVELS, THREADS, EACH, ROUNDS = 1024, 1024, 256, 256, 4, 460
PITCH, DEPTH, SIZE, WAVES = 8e-6, 0.25, 3e-3, (639e-9, 532e-9, 457e-9)

CODE = f"""
const int cells = {CELLS}, points = {POINTS}, threads = {THREADS}, each = {EACH};
constexpr float pitch = {PITCH}f, turn = 6.2831853f;

// figure: of each point, where it is and how bright. A thread has cells of one column, `threads` columns a block.
extern "C" __global__ void __launch_bounds__(threads) interfere(
        const float4* __restrict__ figure, float waves, unsigned char* __restrict__ steps) {{
    __shared__ float4 those[threads];
    const int column = blockIdx.x * threads + threadIdx.x, row = blockIdx.y * each;
    const float x = (column - cells / 2) * pitch;
    float real[each] = {{}}, imaginary[each] = {{}};
    for (int first = 0; first < points; first += threads) {{
        __syncthreads();
        those[threadIdx.x] = figure[first + threadIdx.x];
        __syncthreads();
        for (int other = 0; other < threads; ++other) {{
            const float4 point = those[other];
            const float across = (x - point.x) * (x - point.x), deep = point.z * point.z;
#pragma unroll
            for (int own = 0; own < each; ++own) {{
                const float down = (row + own - cells / 2) * pitch - point.y;
                const float aside = across + down * down;
                // How much longer the way is than straight ahead, in waves; whole waves do not matter.
                const float longer = __fdividef(aside, sqrtf(aside + deep) + point.z) * waves;
                float sine, cosine;
                __sincosf((longer - rintf(longer)) * turn, &sine, &cosine);
                real[own] += point.w * cosine;
                imaginary[own] += point.w * sine;
            }}
        }}
    }}
#pragma unroll
    for (int own = 0; own < each; ++own) {{
        const float angle = atan2f(imaginary[own], real[own]) * ({LEVELS} / turn);
        steps[(row + own) * cells + column] = static_cast<unsigned char>(static_cast<int>(rintf(angle)) & 255);
    }}
}}
"""

interfere = cp.RawKernel(CODE, "interfere", options=("--std=c++17", "--use_fast_math"))

# A knot that turns about an axis; its points are further away the deeper they lie.
turned = cp.ElementwiseKernel(
    "float32 angle, float32 wobble", "raw float32 figure",
    f"""
    const float way = i * (6.2831853f / {POINTS}), ring = 1.0f + 0.4f * cosf(3.0f * way + wobble);
    const float x = ring * cosf(2.0f * way), y = ring * sinf(2.0f * way), z = 0.4f * sinf(3.0f * way + wobble);
    figure[4 * i] = {SIZE}f * (x * cosf(angle) - z * sinf(angle));
    figure[4 * i + 1] = {SIZE}f * y;
    figure[4 * i + 2] = {DEPTH}f + {SIZE}f * (x * sinf(angle) + z * cosf(angle));
    figure[4 * i + 3] = 1.0f + 0.5f * sinf(5.0f * way + angle);
    """, "turned")

# The field behind the modulator, with a lens that makes the middle of the figure sharp far away.
modulated = cp.ElementwiseKernel(
    "raw uint8 steps, float32 lens", "complex64 field",
    f"""
    const float x = (i % {CELLS} - {CELLS // 2}) * {PITCH}f, y = (i / {CELLS} - {CELLS // 2}) * {PITCH}f;
    const float bent = steps[i] * (1.0f / {LEVELS}) - (x * x + y * y) * lens;
    float sine, cosine;
    sincosf((bent - rintf(bent)) * 6.2831853f, &sine, &cosine);
    field = complex<float>(cosine, sine);
    """, "modulated")

# Of each row, the sum of the squares of brightness.
speckled = cp.ReductionKernel("complex64 field", "float32 total", "norm(field) * norm(field)", "a + b", "total = a",
                              "0", "speckled")


class Show:
    def __init__(self):
        self.figure = cp.empty(4 * POINTS, cp.float32)
        self.steps = cp.empty((len(WAVES), CELLS, CELLS), cp.uint8)
        self.field = cp.empty((CELLS, CELLS), cp.complex64)
        self.plan = fft.get_fft_plan(self.field, axes=(0, 1))
        self.speckles = cp.empty((len(WAVES), CELLS), cp.float32)
        self.contrast = cp.zeros(len(WAVES), cp.float32)
        self.number = 0

    def show(self):
        turned(np.float32(0.07 * self.number), np.float32(0.3 * np.sin(0.05 * self.number)), self.figure, size=POINTS)
        for colour, wave in enumerate(WAVES):
            steps = self.steps[colour]
            interfere((CELLS // THREADS, CELLS // EACH), (THREADS,), (self.figure, np.float32(1 / wave), steps))
            modulated(steps, np.float32(0.5 / (wave * DEPTH)), self.field)
            seen = fft.fft2(self.field, overwrite_x=True, plan=self.plan)
            speckled(seen, axis=1, out=self.speckles[colour])
        self.contrast += self.speckles.sum(1)
        self.number += 1

    def total(self):
        return float(self.contrast.sum()) * CELLS ** -6.0 + float(self.steps.mean())


def turning():
    show = Show()
    return show.show, show.total, ROUNDS


run_case(None, turning)
