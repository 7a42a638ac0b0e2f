"""Paints rainbows: each round, some 209 million rays of sunlight meet drops, and are turned back after one or two
reflections within them, for red, green and blue. How much light comes from which angle is added up in shared memory,
and a picture of the sky is painted from it. The sun sinks and rises again, drops get smaller and larger, and the
exposure follows the light slowly."""
import cupy as cp
import numpy as np

from case import run_case

ANGLES, COLOURS, THREADS, BLOCKS, RAYS, HIGH, WIDE, ROUNDS = 1024, 3, 256, 3168, 258, 1440, 2560, 800
SCALE, EXPOSED, SLOW, VIEW, CLOUD = 65536.0, 0.35, 0.05, 1.9, 0.25

# A thread follows some rays. Half of the light of a ray swings along the plane of its path and half across it.
trace = cp.RawKernel(r"""
#define ANGLES 1024
#define COLOURS 3

__device__ unsigned mixed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

__device__ void add(unsigned* bins, float angle, float light) {
  const int place = static_cast<int>(fabsf(angle) * (ANGLES / 3.14159265f));
  atomicAdd(&bins[min(place, ANGLES - 1)], static_cast<unsigned>(65536.0f * light));
}

extern "C" __global__ void __launch_bounds__(256) trace(unsigned seed, int rays, float blur,
                                                        unsigned long long* sums) {
  __shared__ unsigned bins[COLOURS * ANGLES];
  for (int i = threadIdx.x; i < COLOURS * ANGLES; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  unsigned state = mixed(seed + blockIdx.x * blockDim.x + threadIdx.x);
  for (int ray = 0; ray < rays; ++ray) {
    state = state * 1664525u + 1013904223u;
    const unsigned bits = mixed(state);
    const int colour = ray % COLOURS;
    const float waves = 0.63f - 0.085f * colour + 0.03f * ((bits & 255) * (1.0f / 256) - 0.5f);
    const float index = 1.3240f + 0.0031f / (waves * waves);
    const float sine = sqrtf((bits >> 8) * (1.0f / 16777216.0f)) * 0.99999f, inner = sine / index;
    const float cosine = sqrtf(1 - sine * sine), within = sqrtf(1 - inner * inner);
    const float across = __fdividef(cosine - index * within, cosine + index * within);
    const float along = __fdividef(index * cosine - within, index * cosine + within);
    const float one = across * across, other = along * along;
    const float through = (1 - one) * (1 - one) * one, through_other = (1 - other) * (1 - other) * other;
    const float in = asinf(sine), out = asinf(inner);
    const unsigned chance = mixed(state ^ 0x9e3779b9u);
    const float aside = blur * ((chance & 65535) + (chance >> 16)) * (1.0f / 65536) - blur;
    add(bins + colour * ANGLES, 4 * out - 2 * in + aside, 0.5f * (through + through_other));
    add(bins + colour * ANGLES, 3.14159265f + 2 * in - 6 * out + aside, 0.5f * (through * one + through_other * other));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < COLOURS * ANGLES; i += blockDim.x) {
    if (bins[i]) atomicAdd(&sums[i], static_cast<unsigned long long>(bins[i]));
  }
}
""", "trace", options=("--use_fast_math",))

# How bright the sky is at an angle, from how much light came to it.
brightness = cp.ElementwiseKernel(
    "uint64 sum, int32 angle, float32 scale", "float32 bright",
    f"bright = scale * sum / sinpif((angle + 0.5f) / {ANGLES})", "brightness")

# A point of the picture: as seen from under a cloud, whose rain is before the sky.
paint = cp.ElementwiseKernel("raw float32 table, raw float32 exposure, float32 sun", "uint32 point", f"""
    const int row = i / {WIDE}, column = i % {WIDE};
    const float high = (0.5f - (row + 0.5f) / {HIGH}) * {VIEW * HIGH / WIDE}f + 0.45f;
    const float side = ((column + 0.5f) / {WIDE} - 0.5f) * {VIEW}f;
    const float near = __cosf(high) * __cosf(side) * __cosf(sun) - __sinf(high) * __sinf(sun);
    const float place = acosf(fminf(fmaxf(near, -1.0f), 1.0f)) * {ANGLES / np.pi}f - 0.5f;
    const int first = min(max(static_cast<int>(place), 0), {ANGLES - 2});
    const float part = place - first;
    const float cloud = {CLOUD}f * (1.2f - 0.5f * high) * (1.0f + 0.2f * __sinf(7.0f * side + 5.0f * high));
    point = 0;
    for (int colour = 0; colour < {COLOURS}; ++colour) {{
        const float before = table[colour * {ANGLES} + first], after = table[colour * {ANGLES} + first + 1];
        const float light = cloud * (0.8f + 0.1f * colour) + before + part * (after - before);
        const float seen = __powf(1.0f - __expf(-exposure[0] * fmaxf(light, 0.0f)), 1.0f / 2.2f);
        point |= static_cast<unsigned>(255.0f * seen + 0.5f) << (8 * colour);
    }}""", "paint")

shade = cp.ReductionKernel("uint32 point", "uint64 total", "(point & 255) + (point >> 8 & 255) + (point >> 16 & 255)",
                           "a + b", "total = a", "0", "shade")


class Sky:
    def __init__(self):
        self.sums = cp.zeros((COLOURS, ANGLES), cp.uint64)
        self.table, self.picture = cp.empty((COLOURS, ANGLES), cp.float32), cp.empty((HIGH, WIDE), cp.uint32)
        self.angles, self.exposure = cp.arange(ANGLES, dtype=cp.int32), cp.ones(1, cp.float32)
        self.seen, self.number = cp.zeros(HIGH, cp.uint64), 0

    def look(self):
        sun = np.float32(0.25 + 0.2 * np.sin(0.011 * self.number))
        blur = np.float32(0.006 + 0.004 * np.sin(0.047 * self.number))
        self.sums.fill(0)
        trace((BLOCKS,), (THREADS,), (np.uint32(self.number * 0x100000), np.int32(RAYS), blur, self.sums))
        scale = np.float32(4 * ANGLES / SCALE / (BLOCKS * THREADS * RAYS))
        brightness(self.sums, self.angles, scale, self.table)
        wanted = np.float32(EXPOSED) / (self.table.mean() + np.float32(CLOUD))
        self.exposure += np.float32(SLOW) * (wanted - self.exposure)
        paint(self.table.ravel(), self.exposure, sun, self.picture)
        self.seen += shade(self.picture, axis=1)
        self.number += 1

    def total(self):
        """How bright points are, on average."""
        return float(self.seen.sum()) / (COLOURS * HIGH * WIDE * ROUNDS)


def shining():
    sky = Sky()
    return sky.look, sky.total, ROUNDS


run_case(None, shining)
