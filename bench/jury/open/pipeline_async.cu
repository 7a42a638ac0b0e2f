// Clean: a block fetches its next tile by asynchronous copies of 16 bytes while it smooths the one before.
#include <cuda_pipeline.h>

#include "../case.cuh"

namespace {

constexpr unsigned kThreads = 256, kTile = 4 * kThreads, kTiles = 16, kBlocks = 132 * 32;
constexpr std::size_t kCount = std::size_t{kBlocks} * kTiles * kTile;

__device__ void fetch(float* to, const float* from) {
  __pipeline_memcpy_async(&to[4 * threadIdx.x], &from[4 * threadIdx.x], 16);
}

// Each value with those before and after it in its tile, cyclically.
__global__ void smooth_tiles(const float* in, float* out) {
  __shared__ __align__(16) float tile[2][kTile];
  const std::size_t first = std::size_t{blockIdx.x} * kTiles * kTile;
  fetch(tile[0], in + first);
  __pipeline_commit();
  for (unsigned k = 0; k < kTiles; ++k) {
    if (k + 1 < kTiles) fetch(tile[(k + 1) % 2], in + first + (k + 1) * kTile);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float* now = tile[k % 2];
    for (unsigned i = threadIdx.x; i < kTile; i += kThreads)
      out[first + k * kTile + i] =
          0.5F * now[i] + 0.25F * (now[(i + 1) % kTile] + now[(i + kTile - 1) % kTile]);
    __syncthreads();
  }
}

Case clean() {
  float* in = device_array<float>(kCount);
  float* out = device_array<float>(kCount);
  fill_fractions(in, kCount, 109);
  return {[=] { smooth_tiles<<<kBlocks, kThreads>>>(in, out); }, [=] { return device_sum(out, 1 << 20); },
          1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
