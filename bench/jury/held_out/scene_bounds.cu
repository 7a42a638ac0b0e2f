// The box around 16 million points.
// At fault: each point goes into six words with atomics. The pattern is that of taichi-dev/taichi, whose pull
// request 2956 reduces minima and maxima in warps before the atomic.
#include <cfloat>

#include "../case.cuh"

namespace {

constexpr int kPoints = 16 << 20, kThreads = 256, kBlocks = 1056, kWarps = kThreads / 32, kBounds = 6;

// Of positive numbers, whose bits have their order.
__global__ void bounds_by_point(int* bounds, const float* places) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kPoints) return;
  for (int axis = 0; axis < 3; ++axis) {
    const int bits = __float_as_int(places[axis * kPoints + i]);
    atomicMin(bounds + 2 * axis, bits);      // fault
    atomicMax(bounds + 2 * axis + 1, bits);  // fault
  }
}

__global__ void reset_bounds(int* bounds) {
  if (threadIdx.x < kBounds)
    bounds[threadIdx.x] = threadIdx.x % 2 == 0 ? __float_as_int(FLT_MAX) : __float_as_int(0.0F);
}

__device__ int better(int one, int other, bool largest) {
  return largest ? max(one, other) : min(one, other);
}

// The first thread has the result.
__device__ int best_of_block(int bits, bool largest) {
  __shared__ int best[kWarps];
  bits = largest ? __reduce_max_sync(0xffffffffU, bits) : __reduce_min_sync(0xffffffffU, bits);
  __syncthreads();
  if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = bits;
  __syncthreads();
  for (int warp = 0; warp < kWarps; ++warp) bits = better(bits, best[warp], largest);
  return bits;
}

// blockIdx.y is the axis.
__global__ void bounds_of_blocks(int* partial, const float* places) {
  int smallest = __float_as_int(FLT_MAX), largest = 0;
  const float* own = places + blockIdx.y * kPoints;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < kPoints; i += gridDim.x * blockDim.x) {
    const int bits = __float_as_int(own[i]);
    smallest = min(smallest, bits);
    largest = max(largest, bits);
  }
  smallest = best_of_block(smallest, false);
  largest = best_of_block(largest, true);
  if (threadIdx.x != 0) return;
  partial[2 * blockIdx.y * gridDim.x + blockIdx.x] = smallest;
  partial[(2 * blockIdx.y + 1) * gridDim.x + blockIdx.x] = largest;
}

// A block for each bound.
__global__ void bounds_of_partial(int* bounds, const int* partial, int count) {
  const bool largest = blockIdx.x % 2 == 1;
  int bits = largest ? 0 : __float_as_int(FLT_MAX);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads)
    bits = better(bits, partial[static_cast<int>(blockIdx.x) * count + i], largest);
  bits = best_of_block(bits, largest);
  if (threadIdx.x == 0) bounds[blockIdx.x] = bits;
}

Case make(bool by_point) {
  auto* places = device_array<float>(std::size_t{3} * kPoints);
  auto* bounds = device_array<int>(kBounds);
  auto* partial = device_array<int>(std::size_t{kBounds} * kBlocks);
  fill_fractions(places, std::size_t{3} * kPoints, 1);
  return {[=] {
            if (by_point) {
              reset_bounds<<<1, 32>>>(bounds);
              bounds_by_point<<<blocks_for(kPoints, kThreads), kThreads>>>(bounds, places);
            } else {
              bounds_of_blocks<<<dim3(kBlocks / 3, 3), kThreads>>>(partial, places);
              bounds_of_partial<<<kBounds, kThreads>>>(bounds, partial, kBlocks / 3);
            }
          },
          [=] { return device_sum(reinterpret_cast<const float*>(bounds), kBounds); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
