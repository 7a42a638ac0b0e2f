"""Sums and squares of the counts of genes in 262,144 cells, whose counts lie in sparse rows of 384 to 639.

At fault: a thread walks along the row of a cell, so that the lanes read about 2 KB apart.
The pattern is that of scverse/rapids-singlecell, pull request 112, whose kernel sums sparse rows with many threads a row."""
import cupy

from case import run_case

CELLS, ROUNDS = 1 << 18, 800

moments_by_thread = cupy.RawKernel(r"""
extern "C" __global__ void moments_by_thread(const float* counts, const int* starts, float* sums, float* squares, int cells) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  const int end = starts[cell + 1];
  float sum = 0, square = 0;
  for (int at = starts[cell]; at < end; ++at) {
    const float count = counts[at];
    sum += count;
    square += count * count;
  }
  sums[cell] = sum;
  squares[cell] = square;
}
""", "moments_by_thread")

moments_by_warp = cupy.RawKernel(r"""
extern "C" __global__ void moments_by_warp(const float* counts, const int* starts, float* sums, float* squares, int cells) {
  const int cell = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (cell >= cells) return;
  const int end = starts[cell + 1];
  float sum = 0, square = 0;
  for (int at = starts[cell] + lane; at < end; at += 32) {
    const float count = counts[at];
    sum += count;
    square += count * count;
  }
  for (int away = 16; away > 0; away /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, away);
    square += __shfl_down_sync(0xffffffffu, square, away);
  }
  if (lane == 0) {
    sums[cell] = sum;
    squares[cell] = square;
  }
}
""", "moments_by_warp")

spread = cupy.ElementwiseKernel(
    "float32 sum, float32 square", "float32 out", "out = square / 20000 - sum / 20000 * (sum / 20000);", "spread_of_cell")


def made_cells():
    cell = cupy.arange(CELLS, dtype=cupy.uint32)
    lengths = ((cell * cupy.uint32(2654435761)) >> cupy.uint32(24)).astype(cupy.int64) + 384
    starts = cupy.zeros(CELLS + 1, dtype=cupy.int64)
    starts[1:] = cupy.cumsum(lengths)
    number = cupy.arange(int(starts[-1]), dtype=cupy.uint32)
    counts = ((number * cupy.uint32(2246822519)) >> cupy.uint32(29)).astype(cupy.float32) + cupy.float32(1)
    return counts, starts.astype(cupy.int32), [cupy.empty(CELLS, dtype=cupy.float32) for _ in range(3)]


def total_of(spreads):
    return float(spreads.astype(cupy.float64).sum())


def a_thread_a_cell():
    counts, starts, (sums, squares, spreads) = made_cells()

    def one_round():
        moments_by_thread((CELLS // 128,), (128,), (counts, starts, sums, squares, cupy.int32(CELLS)))  # fault
        spread(sums, squares, spreads)

    return one_round, lambda: total_of(spreads), ROUNDS


def a_warp_a_cell():
    counts, starts, (sums, squares, spreads) = made_cells()

    def one_round():
        moments_by_warp((CELLS // 8,), (256,), (counts, starts, sums, squares, cupy.int32(CELLS)))
        spread(sums, squares, spreads)

    return one_round, lambda: total_of(spreads), ROUNDS


run_case(a_thread_a_cell, a_warp_a_cell)
