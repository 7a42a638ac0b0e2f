// Squared distances between 4096 and 4096 descriptors of 128 values, and the smallest one of each row.
// At fault: the kernel is compiled for blocks of 1024 threads though it runs in blocks of 256, so it has 64
// registers a thread and spills its 64 sums. The pattern is that of halide/Halide, whose pull request 9284
// tells the compiler the true size of the block.
#include "../case.cuh"

namespace {

constexpr int kCount = 4096, kValues = 128, kTile = 128, kDepth = 8, kThreads = 256, kAny = 1024;

// For a thread: rows and columns 4 y to 4 y + 3 of both halves of a tile of 128 x 128.
__device__ __forceinline__ void find_distances(float* out, const float* queries, const float* others) {
  __shared__ float4 rows[kDepth][kTile / 4], columns[kDepth][kTile / 4];
  const int thread = static_cast<int>(threadIdx.x), x = thread % 16, y = thread / 16;
  const int row = static_cast<int>(blockIdx.y) * kTile, column = static_cast<int>(blockIdx.x) * kTile;
  const int depth = thread / 32, four = thread % 32;
  float sums[8][8] = {};                                   // fault
  for (int first = 0; first < kValues; first += kDepth) {  // fault
    const std::size_t line = static_cast<std::size_t>(first + depth) * kCount;
    rows[depth][four] = *reinterpret_cast<const float4*>(queries + line + row + four * 4);       // fault
    columns[depth][four] = *reinterpret_cast<const float4*>(others + line + column + four * 4);  // fault
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      const float4 low = rows[k][y], high = rows[k][y + 16];                                    // fault
      const float4 left = columns[k][x], right = columns[k][x + 16];                            // fault
      const float a[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};          // fault
      const float b[8] = {left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w};  // fault
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[i][j] += (a[i] - b[j]) * (a[i] - b[j]);  // fault
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int down = row + i / 4 * 64 + y * 4 + i % 4;
    auto* line = reinterpret_cast<float4*>(out + static_cast<std::size_t>(down) * kCount + column);
    line[x] = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);       // fault
    line[x + 16] = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);  // fault
  }
}

__global__ void __launch_bounds__(kAny)                                               // fault
    distances_for_any_block(float* out, const float* queries, const float* others) {  // fault
  find_distances(out, queries, others);                                               // fault
}

__global__ void __launch_bounds__(kThreads, 2)
    distances_for_this_block(float* out, const float* queries, const float* others) {
  find_distances(out, queries, others);
}

__global__ void find_nearest(float* nearest, const float4* distances) {
  __shared__ float parts[kThreads / 32];
  const float4* own = distances + std::size_t{blockIdx.x} * (kCount / 4);
  float low = 1e30F;
#pragma unroll
  for (int i = 0; i < kCount / 4; i += kThreads) {
    const float4 four = own[i + static_cast<int>(threadIdx.x)];
    low = fminf(low, fminf(fminf(four.x, four.y), fminf(four.z, four.w)));
  }
  for (int far = 16; far > 0; far /= 2) low = fminf(low, __shfl_xor_sync(0xffffffffU, low, far));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = low;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) low = fminf(low, parts[warp]);
  nearest[blockIdx.x] = low;
}

Case make(bool for_any) {
  auto* queries = device_array<float>(std::size_t{kCount} * kValues);
  auto* others = device_array<float>(std::size_t{kCount} * kValues);
  auto* distances = device_array<float>(std::size_t{kCount} * kCount);
  auto* nearest = device_array<float>(kCount);
  fill_fractions(queries, std::size_t{kCount} * kValues, 1);
  fill_fractions(others, std::size_t{kCount} * kValues, 1U << 24);
  return {[=] {
            constexpr dim3 kGrid(kCount / kTile, kCount / kTile);
            if (for_any) {
              distances_for_any_block<<<kGrid, kThreads>>>(distances, queries, others);
            } else {
              distances_for_this_block<<<kGrid, kThreads>>>(distances, queries, others);
            }
            find_nearest<<<kCount, kThreads>>>(nearest, reinterpret_cast<const float4*>(distances));
          },
          [=] { return device_sum(nearest, kCount); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
