// Clean: a product of matrices in single precision, by tiles in shared memory and 4 x 4 results for each
// thread.
#include "../case.cuh"

namespace {

constexpr unsigned kSide = 2048, kTile = 64, kDepth = 16, kEach = 4, kThreads = 256;

// C = A B. Rows of `left` are columns of A's tile; two words of padding keep its stores in banks of their
// own.
__global__ void __launch_bounds__(kThreads) multiply(const float* a, const float* b, float* c) {
  __shared__ float left[kDepth][kTile + 2], right[kDepth][kTile];
  const unsigned t = threadIdx.x, x = t % 16, y = t / 16;
  const unsigned first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  float sums[kEach][kEach] = {};
  for (unsigned depth = 0; depth < kSide; depth += kDepth) {
    const unsigned row = t / 4, column = t % 4 * 4;
    const float4 of_a = *reinterpret_cast<const float4*>(&a[(first_row + row) * kSide + depth + column]);
    left[column][row] = of_a.x;
    left[column + 1][row] = of_a.y;
    left[column + 2][row] = of_a.z;
    left[column + 3][row] = of_a.w;
    *reinterpret_cast<float4*>(&right[y][4 * x]) =
        *reinterpret_cast<const float4*>(&b[(depth + y) * kSide + first_column + 4 * x]);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kDepth; ++k) {
      const float4 r = *reinterpret_cast<const float4*>(&right[k][4 * x]);
#pragma unroll
      for (unsigned i = 0; i < kEach; ++i) {
        const float l = left[k][4 * y + i];
        sums[i][0] += l * r.x;
        sums[i][1] += l * r.y;
        sums[i][2] += l * r.z;
        sums[i][3] += l * r.w;
      }
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < kEach; ++i)
    *reinterpret_cast<float4*>(&c[(first_row + 4 * y + i) * kSide + first_column + 4 * x]) =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}
static_assert(kThreads == 4 * kTile && kThreads == 16 * kDepth && 16 * kEach == kTile && kSide % kTile == 0);

Case clean() {
  constexpr std::size_t count = kSide * kSide;
  float* a = device_array<float>(count);
  float* b = device_array<float>(count);
  float* c = device_array<float>(count);
  fill_fractions(a, count, 101);
  fill_fractions(b, count, 102);
  const dim3 grid(kSide / kTile, kSide / kTile);
  return {[=] { multiply<<<grid, kThreads>>>(a, b, c); }, [=] { return device_sum(c, count); }, 200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
