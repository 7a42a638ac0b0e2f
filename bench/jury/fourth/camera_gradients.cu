// The gradient of a loss with respect to the matrix of a camera, from 8 million points in space: the
// gradients of the points, then twelve sums over them.
// At fault: each warp adds its twelve sums with atomics, so that 262,144 warps meet in twelve words. The
// pattern is that of openvdb/fvdb-core, whose pull requests 697 and 751 reduce in the block first.
#include "../case.cuh"

namespace {

constexpr int kPoints = 8 << 20, kThreads = 256, kWarps = kThreads / 32, kSums = 12, kBlocks = 1056;

struct Sums {
  float of[kSums];
};

__global__ void gradients_of_points(float* gradients, const float* points, const float* upstream) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float x = points[i], y = points[kPoints + i], depth = 1 + points[2 * kPoints + i];
  const float u = upstream[i], v = upstream[kPoints + i];
  gradients[i] = u / depth;
  gradients[kPoints + i] = v / depth;
  gradients[2 * kPoints + i] = (u * x + v * y) / (depth * depth);
}

__device__ void add_point(Sums& sums, const float* gradients, const float* points, int i) {
  const float x = points[i], y = points[kPoints + i], z = points[2 * kPoints + i];
#pragma unroll
  for (int row = 0; row < 3; ++row) {
    const float gradient = gradients[row * kPoints + i];
    sums.of[4 * row] += gradient * x;
    sums.of[4 * row + 1] += gradient * y;
    sums.of[4 * row + 2] += gradient * z;
    sums.of[4 * row + 3] += gradient;
  }
}

__device__ void add_up_warp(Sums& sums) {
#pragma unroll
  for (int k = 0; k < kSums; ++k)
    for (int step = 16; step > 0; step /= 2) sums.of[k] += __shfl_xor_sync(0xffffffffU, sums.of[k], step);
}

__global__ void camera_by_warp(float* camera, const float* gradients, const float* points) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  Sums sums{};
  add_point(sums, gradients, points, i);
  add_up_warp(sums);
  if (threadIdx.x % 32 == 0) {
#pragma unroll
    for (int k = 0; k < kSums; ++k) atomicAdd(camera + k, sums.of[k]);  // fault
  }
}

__global__ void camera_by_block(float* camera, const float* gradients, const float* points) {
  __shared__ float of_warps[kWarps][kSums];
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  Sums sums{};
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < kPoints; i += threads)
    add_point(sums, gradients, points, i);
  add_up_warp(sums);
  if (threadIdx.x % 32 == 0) {
#pragma unroll
    for (int k = 0; k < kSums; ++k) of_warps[threadIdx.x / 32][k] = sums.of[k];
  }
  __syncthreads();
  if (threadIdx.x >= kSums) return;
  float total = 0;
  for (int warp = 0; warp < kWarps; ++warp) total += of_warps[warp][threadIdx.x];
  atomicAdd(camera + threadIdx.x, total);
}

Case make(bool by_warp) {
  auto* points = device_array<float>(std::size_t{3} * kPoints);
  auto* upstream = device_array<float>(std::size_t{2} * kPoints);
  auto* gradients = device_array<float>(std::size_t{3} * kPoints);
  auto* camera = device_array<float>(kSums);
  fill_fractions(points, std::size_t{3} * kPoints, 1);
  fill_fractions(upstream, std::size_t{2} * kPoints, 2);
  return {[=] {
            CHECK(cudaMemsetAsync(camera, 0, kSums * sizeof(float)));
            gradients_of_points<<<kPoints / kThreads, kThreads>>>(gradients, points, upstream);
            if (by_warp) {
              camera_by_warp<<<kPoints / kThreads, kThreads>>>(camera, gradients, points);
            } else {
              camera_by_block<<<kBlocks, kThreads>>>(camera, gradients, points);
            }
          },
          [=] { return device_sum(camera, kSums); }, 400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
