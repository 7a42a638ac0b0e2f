"""How well two pictures of 4096 x 4096 pixels fit together: the joint histogram of 32 x 32 levels, and what one picture tells
about the other, for a shift of the second picture a round.

At fault: each pixel is counted by an atomic in global memory, and neighbours have the same levels.
The pattern is that of cupy/cupy, pull request 6701, where counts of ten million values, which such histograms rest on,
are 32 times as fast by a library that counts in blocks. Here a kernel does, in shared memory."""
import cupy

from case import run_case

SIDE, LEVELS, THREADS, BLOCKS, ROUNDS = 4096, 32, 512, 528, 160

levels_of = cupy.ElementwiseKernel("float32 value", "int32 level", "level = min((int)(value * 32.0f), 31)", "levels_of")
pair_of = cupy.ElementwiseKernel("int32 one, int32 other", "int32 pair", "pair = one * 32 + other", "pair_of")
count_in_blocks = cupy.RawKernel(r"""
extern "C" __global__ void count_in_blocks(int* counts, const int* pairs, int pixels) {
  __shared__ int own[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) atomicAdd(own + pairs[i], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    if (own[i] != 0) atomicAdd(counts + i, own[i]);
}""", "count_in_blocks")


def made_pictures():
    place = cupy.arange(SIDE, dtype=cupy.float32) * cupy.float32(12 / SIDE)
    waves = cupy.sin(place)[:, None] * cupy.cos(cupy.float32(1.5) * place) + cupy.cos(place[:, None] - place)
    one = (waves - waves.min()) / (waves.max() - waves.min())
    return levels_of(one), levels_of(cupy.sqrt(one))


def information(counts, results):
    shares = counts.reshape(LEVELS, LEVELS).astype(cupy.float64) / SIDE ** 2
    apart = shares.sum(1, keepdims=True) * shares.sum(0, keepdims=True)
    results[0] = (shares * cupy.log((shares + 1e-12) / (apart + 1e-12))).sum()


def pixel_by_pixel():
    one, other = made_pictures()
    number, results = [0], [None]

    def one_round():
        number[0] += 1
        pairs = pair_of(one, cupy.roll(other, number[0] % 8, 1)).ravel()
        counts = cupy.zeros(LEVELS ** 2, dtype=cupy.int32)
        cupy.add.at(counts, pairs, 1)  # fault
        information(counts, results)

    return one_round, lambda: results[0], ROUNDS


def block_by_block():
    one, other = made_pictures()
    number, results = [0], [None]

    def one_round():
        number[0] += 1
        pairs = pair_of(one, cupy.roll(other, number[0] % 8, 1)).ravel()
        counts = cupy.zeros(LEVELS ** 2, dtype=cupy.int32)
        count_in_blocks((BLOCKS,), (THREADS,), (counts, pairs, cupy.int32(SIDE * SIDE)))
        information(counts, results)

    return one_round, lambda: results[0], ROUNDS


run_case(pixel_by_pixel, block_by_block)
