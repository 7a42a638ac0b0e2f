// The largest product of each of 2048 queries with 2048 keys of 64 numbers, for 32 heads.
// At fault: the rows of a tile of keys are 64 words long in shared memory, so that lanes which read their own
// keys share a bank. The pattern is that of kekzl/imp, whose pull request 484 pads the rows of attention's
// tiles.
#include <cuda_pipeline.h>

#include "../case.cuh"

namespace {

constexpr int kHeads = 32, kLength = 2048, kWidth = 64, kThreads = 256, kWarps = kThreads / 32;
constexpr int kTileKeys = 32, kOwn = 8, kBlockQueries = kWarps * kOwn;

__device__ void load_queries(float* tile, const float* queries) {
  for (int i = static_cast<int>(threadIdx.x); i < kBlockQueries * kWidth; i += kThreads) tile[i] = queries[i];
}

__device__ void add_products(float (&sums)[kOwn], const float* key, const float* own) {
  for (int d = 0; d < kWidth; d += 4) {
    const float a = key[d], b = key[d + 1], c = key[d + 2], e = key[d + 3];  // fault
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
      const float4 query = *reinterpret_cast<const float4*>(own + k * kWidth + d);
      sums[k] += query.x * a + query.y * b + query.z * c + query.w * e;
    }
  }
}

// A key takes kStride words of the tile.
template <int kStride>
__device__ void largest_of_block(float* largest, const float* queries, const float* keys) {
  __shared__ __align__(16) float own[kBlockQueries * kWidth];
  __shared__ float tile[kTileKeys * kStride];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int first = static_cast<int>(blockIdx.y) * kLength + static_cast<int>(blockIdx.x) * kBlockQueries;
  load_queries(own, queries + first * kWidth);
  float best[kOwn];
  for (float& value : best) value = -1e30F;
  for (int key = 0; key < kLength; key += kTileKeys) {
    __syncthreads();
    const float* from = keys + (static_cast<int>(blockIdx.y) * kLength + key) * kWidth;
    for (int i = static_cast<int>(threadIdx.x); i < kTileKeys * kWidth; i += kThreads)
      __pipeline_memcpy_async(tile + i / kWidth * kStride + i % kWidth, from + i, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    float sums[kOwn] = {};
    add_products(sums, tile + lane * kStride, own + warp * kOwn * kWidth);
#pragma unroll
    for (int k = 0; k < kOwn; ++k) best[k] = fmaxf(best[k], sums[k]);
  }
#pragma unroll
  for (int k = 0; k < kOwn; ++k) {
    for (int step = 16; step > 0; step /= 2)
      best[k] = fmaxf(best[k], __shfl_xor_sync(0xffffffffU, best[k], step));
    if (lane == k) largest[first + warp * kOwn + k] = best[k];
  }
}

__global__ void scores_plain(float* largest, const float* queries, const float* keys) {
  largest_of_block<kWidth>(largest, queries, keys);
}

__global__ void scores_padded(float* largest, const float* queries, const float* keys) {
  largest_of_block<kWidth + 1>(largest, queries, keys);
}

Case make(bool plain) {
  constexpr std::size_t kNumbers = std::size_t{kHeads} * kLength * kWidth;
  auto* queries = device_array<float>(kNumbers);
  auto* keys = device_array<float>(kNumbers);
  auto* largest = device_array<float>(std::size_t{kHeads} * kLength);
  fill_fractions(queries, kNumbers, 1);
  fill_fractions(keys, kNumbers, 1U << 30);
  return {[=] {
            const dim3 grid(kLength / kBlockQueries, kHeads);
            if (plain) {
              scores_plain<<<grid, kThreads>>>(largest, queries, keys);
            } else {
              scores_padded<<<grid, kThreads>>>(largest, queries, keys);
            }
          },
          [=] { return device_sum(largest, std::size_t{kHeads} * kLength); }, 120};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
