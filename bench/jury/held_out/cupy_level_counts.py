"""How often each of 64 levels is there among 32 million values.

At fault: a kernel over all values adds to 64 words in global memory with atomics.
The pattern is that of cupy/cupy, whose pull request 6701 counts with a library that counts in each block first."""
import cupy

from case import run_case

VALUES, LEVELS, BLOCKS, ROUNDS = 32 << 20, 64, 1056, 60

count_in_global = cupy.ElementwiseKernel(
    "int32 level", "raw int32 counts",
    "atomicAdd(&counts[level], 1);",  # fault
    "count_in_global")

count_in_blocks = cupy.RawKernel(r"""
extern "C" __global__ void count_in_blocks(const int4* levels, int* counts, int quads) {
  __shared__ int own[8][64];
  for (int i = threadIdx.x; i < 8 * 64; i += blockDim.x) own[i / 64][i % 64] = 0;
  __syncthreads();
  int* of_warp = own[threadIdx.x / 32];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    const int4 four = levels[i];
    atomicAdd(of_warp + four.x, 1);
    atomicAdd(of_warp + four.y, 1);
    atomicAdd(of_warp + four.z, 1);
    atomicAdd(of_warp + four.w, 1);
  }
  __syncthreads();
  if (threadIdx.x >= 64) return;
  int sum = 0;
  for (int warp = 0; warp < 8; ++warp) sum += own[warp][threadIdx.x];
  atomicAdd(counts + threadIdx.x, sum);
}
""", "count_in_blocks")


def made_levels():
    number = cupy.arange(VALUES, dtype=cupy.uint32)
    return ((number * cupy.uint32(2654435761)) >> cupy.uint32(26)).astype(cupy.int32)


def total_of(counts):
    return float((counts.astype(cupy.float64) * cupy.arange(1, LEVELS + 1)).sum())


def in_global():
    levels, counts = made_levels(), cupy.zeros(LEVELS, dtype=cupy.int32)

    def one_round():
        counts.fill(0)
        count_in_global(levels, counts)  # fault

    return one_round, lambda: total_of(counts), ROUNDS


def in_blocks():
    levels, counts = made_levels(), cupy.zeros(LEVELS, dtype=cupy.int32)

    def one_round():
        counts.fill(0)
        count_in_blocks((BLOCKS,), (256,), (levels, counts, cupy.int32(VALUES // 4)))

    return one_round, lambda: total_of(counts), ROUNDS


run_case(in_global, in_blocks)
