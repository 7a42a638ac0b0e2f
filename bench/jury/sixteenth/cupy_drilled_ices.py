"""Finds cycles of the climate in 4096 cores of ice: how strongly 1024 layers of each core, whose ages are uneven, swing at each
of 2048 frequencies. A round takes one substance in the ice: a periodogram of Lomb and Scargle for each core.

Nothing is wrong: a thread has a frequency, a block shares the layers of its core through shared memory, sine and cosine
come from one call in turns, all sums stay in registers, and each power is stored once; the kernel is bound by arithmetic.
The pattern is that of rapidsai/cusignal, pull request 202: kernels of their own for floats, and sine and cosine by one call."""
import cupy
import numpy

from case import run_case

CORES, LAYERS, FREQUENCIES, BLOCK, SUBSTANCES, LOWEST, STEP, ROUNDS = 4096, 1024, 2048, 256, 4, 0.1, 0.001, 480

find_powers = cupy.RawKernel(r"""
extern "C" __global__ void __launch_bounds__(256)
find_powers(const float2* __restrict__ found, float* __restrict__ powers, float lowest, float step, int layers, int frequencies)
{
    __shared__ float2 part[256];
    const int which = blockIdx.x * 256 + threadIdx.x;
    const float twice = 2.0f * (lowest + step * which);
    const float2* own = found + (size_t)blockIdx.y * layers;
    float much_c = 0, much_s = 0, cc = 0, cs = 0;
    for (int first = 0; first < layers; first += 256) {
        __syncthreads();
        part[threadIdx.x] = own[first + threadIdx.x];
        __syncthreads();
        #pragma unroll 4
        for (int each = 0; each < 256; ++each) {
            float s, c;
            sincospif(twice * part[each].x, &s, &c);
            much_c += part[each].y * c;
            much_s += part[each].y * s;
            cc += c * c;
            cs += c * s;
        }
    }
    const float ss = layers - cc;
    float s, c;  // of the phase at which both waves are independent
    sincosf(0.5f * atan2f(2.0f * cs, cc - ss), &s, &c);
    const float along = much_c * c + much_s * s, across = much_s * c - much_c * s;
    const float mixed = 2.0f * c * s * cs;
    powers[(size_t)blockIdx.y * frequencies + which] =
        0.5f * (along * along / (c * c * cc + mixed + s * s * ss) + across * across / (c * c * ss - mixed + s * s * cc));
}""", "find_powers")


def made_substance():
    """For each core, ages of its layers in thousands of years, and how much more than its mean they hold."""
    ages = 200 * cupy.random.random((CORES, LAYERS), dtype=cupy.float32)
    speeds = LOWEST + STEP * FREQUENCIES * cupy.random.random((CORES, 1), dtype=cupy.float32)
    held = cupy.sin(2 * numpy.pi * speeds * ages) + cupy.random.random((CORES, LAYERS), dtype=cupy.float32) - 0.5
    return cupy.ascontiguousarray(cupy.stack((ages, held - held.mean(1, keepdims=True)), 2), dtype=cupy.float32)


def drilling():
    cupy.random.seed(1)
    substances, number = [made_substance() for _ in range(SUBSTANCES)], [0]
    powers = cupy.empty((CORES, FREQUENCIES), dtype=cupy.float32)
    numbers = numpy.float32(LOWEST), numpy.float32(STEP), numpy.int32(LAYERS), numpy.int32(FREQUENCIES)

    def one_round():
        find_powers((FREQUENCIES // BLOCK, CORES), (BLOCK,), (substances[number[0] % SUBSTANCES], powers, *numbers))
        number[0] += 1

    return one_round, lambda: float(powers.sum(dtype=cupy.float64)), ROUNDS


run_case(None, drilling)
