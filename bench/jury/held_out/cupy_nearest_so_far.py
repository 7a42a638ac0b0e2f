"""Keeps the 16 smallest distances of each of 4 million places, as far as they are below 0.0001, as one after the other
comes.

At fault: the distances of a place lie side by side, so that neighbouring lanes, which ask for the largest of them, read 64
bytes apart.
The pattern is that of stumpy-dev/stumpy, issue 64, where a transposed array lets the threads move words that follow each
other."""
import cupy

from case import run_case

PLACES, KEPT, THREADS, ROUNDS = 4 << 20, 16, 256, 3000

BODY = r"""
extern "C" __global__ void NAME(float* kept, const float* values, float asked, int places) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= places) return;
  const float distance = fabsf(values[place] - asked);
  int k = 15;
  if (distance >= kept[AT(k)]) return;
  for (; k > 0 && distance < kept[AT(k - 1)]; --k) kept[AT(k)] = kept[AT(k - 1)];
  kept[AT(k)] = distance;
}
"""
ROWS = "#define AT(k) (place * 16 + (k))\n" + BODY.replace("NAME", "keep_in_rows")
COLUMNS = "#define AT(k) ((k) * places + place)\n" + BODY.replace("NAME", "keep_in_columns")


def keeper(code, name, shape, places_axis):
    kernel = cupy.RawKernel(code, name)
    number = cupy.arange(PLACES, dtype=cupy.uint32)
    values = ((number * cupy.uint32(2654435761)) >> cupy.uint32(12)).astype(cupy.float32) / cupy.float32(1 << 20)
    kept, asked = cupy.full(shape, 1e-4, dtype=cupy.float32), [0.0]

    def one_round():
        asked[0] = (asked[0] + 0.6180339887) % 1
        arguments = (kept, values, cupy.float32(asked[0]), cupy.int32(PLACES))
        kernel((PLACES // THREADS,), (THREADS,), arguments)  # fault

    def total():
        weights = cupy.arange(1, KEPT + 1, dtype=cupy.float64)
        return float((kept.astype(cupy.float64).sum(places_axis) * weights).sum())

    return one_round, total, ROUNDS


run_case(lambda: keeper(ROWS, "keep_in_rows", (PLACES, KEPT), 0),
         lambda: keeper(COLUMNS, "keep_in_columns", (KEPT, PLACES), 1))
