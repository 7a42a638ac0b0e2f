"""Fits a mixture of 1024 normal distributions to 65,536 points of 1023 values, a step of the algorithm a round.

Nothing is wrong: squares, values and a one of a point are a row that is made once, so the scores of all distributions
and all sums are two products, and a kernel in which a warp has a row makes shares of scores.
The pattern is that of cupy/cupy, examples/gmm/gmm.py, for more distributions."""
import cupy

from case import run_case

POINTS, VALUES, PARTS, WARPS, ROUNDS = 1 << 16, 1023, 1024, 4, 150
FEATURES = 2 * VALUES + 2

make_shares = cupy.RawKernel(r"""
extern "C" __global__ void make_shares(float4* scores, int points) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= points) return;
  float4* place = scores + (size_t)row * 256 + threadIdx.x;
  float4 own[8];
  float most = -3.0e38f, sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    own[k] = place[k * 32];
    most = fmaxf(most, fmaxf(fmaxf(own[k].x, own[k].y), fmaxf(own[k].z, own[k].w)));
  }
  for (int apart = 16; apart > 0; apart /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, apart));
#pragma unroll
  for (int k = 0; k < 8; k++) {
    own[k] = make_float4(__expf(own[k].x - most), __expf(own[k].y - most), __expf(own[k].z - most),
                         __expf(own[k].w - most));
    sum += own[k].x + own[k].y + own[k].z + own[k].w;
  }
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffff, sum, apart);
  const float factor = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < 8; k++)
    place[k * 32] = make_float4(own[k].x * factor, own[k].y * factor, own[k].z * factor, own[k].w * factor);
}""", "make_shares")


@cupy.fuse()
def moments(squares, sums, counts):
    means = sums / counts
    precision = 1.0 / (squares / counts - means * means + 1e-2)
    return means * precision, -0.5 * precision, -0.5 * means * means * precision + 0.5 * cupy.log(precision)


def made_rows():
    """A row: the squares, the values, a one and a zero."""
    random = cupy.random.default_rng(1)
    centres = random.standard_normal((PARTS, VALUES), dtype=cupy.float32)
    rows = cupy.zeros((POINTS, FEATURES), dtype=cupy.float32)
    points = rows[:, VALUES:2 * VALUES]
    points[...] = random.standard_normal((POINTS, VALUES), dtype=cupy.float32)
    points += centres[random.integers(0, PARTS, POINTS)]
    rows[:, :VALUES] = points * points
    rows[:, 2 * VALUES] = 1
    start = centres + 0.01 * random.standard_normal((PARTS, VALUES), dtype=cupy.float32)
    factors = cupy.zeros((FEATURES, PARTS), dtype=cupy.float32)  # a column is a distribution
    factors[:VALUES], factors[VALUES:2 * VALUES] = -0.5, start.T
    factors[2 * VALUES] = -0.5 * (start * start).sum(1)
    return rows, factors


def fitting():
    rows, factors = made_rows()
    scores, sums = cupy.empty((POINTS, PARTS), dtype=cupy.float32), cupy.empty_like(factors)

    def one_round():
        cupy.dot(rows, factors, out=scores)
        make_shares((POINTS // WARPS,), (32, WARPS), (scores, cupy.int32(POINTS)))
        cupy.dot(rows.T, scores, out=sums)
        counts = sums[2 * VALUES] + cupy.float32(1e-3)
        towards, widths, rests = moments(sums[:VALUES], sums[VALUES:2 * VALUES], counts)
        factors[:VALUES], factors[VALUES:2 * VALUES] = widths, towards
        factors[2 * VALUES] = rests.sum(0) + cupy.log(counts * cupy.float32(1 / POINTS))

    return one_round, lambda: float(abs(factors[VALUES:2 * VALUES]).sum()), ROUNDS


run_case(None, fitting)
