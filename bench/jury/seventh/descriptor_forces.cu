// Forces on 32,768 atoms from the gradients of four descriptors for each of their 128 neighbours.
// At fault: each product goes to the force of the atom by an atomic of its own, so that the 128 threads of an
// atom add to the same three words, four times each. The pattern is that of deepmodeling/deepmd-kit, pull
// request 811: products are added up before, 3.3 times as fast. Here a block adds up the whole force.
#include "../case.cuh"

namespace {

constexpr int kAtoms = 1 << 15, kNeighbours = 128, kDescriptors = 4, kAxes = 3;
constexpr std::size_t kPairs = std::size_t{kAtoms} * kNeighbours;

// A thread takes a neighbour, a block an atom. Slopes along an axis lie kPairs apart.
__global__ void __launch_bounds__(kNeighbours)
    forces_by_products(float* forces, const float4* gradients, const float4* slopes) {
  const std::size_t pair = std::size_t{blockIdx.x} * kNeighbours + threadIdx.x;
  const float4 gradient = gradients[pair];
  for (int axis = 0; axis < kAxes; ++axis) {
    const float4 slope = slopes[axis * kPairs + pair];
    float* force = forces + axis * kAtoms + blockIdx.x;
    atomicAdd(force, -gradient.x * slope.x);  // fault
    atomicAdd(force, -gradient.y * slope.y);  // fault
    atomicAdd(force, -gradient.z * slope.z);  // fault
    atomicAdd(force, -gradient.w * slope.w);  // fault
  }
}

__global__ void __launch_bounds__(kNeighbours)
    forces_by_blocks(float* forces, const float4* gradients, const float4* slopes) {
  __shared__ float parts[kAxes][kNeighbours / 32];
  const std::size_t pair = std::size_t{blockIdx.x} * kNeighbours + threadIdx.x;
  const float4 gradient = gradients[pair];
#pragma unroll
  for (int axis = 0; axis < kAxes; ++axis) {
    const float4 slope = slopes[axis * kPairs + pair];
    float sum = -gradient.x * slope.x - gradient.y * slope.y - gradient.z * slope.z - gradient.w * slope.w;
    for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
    if (threadIdx.x % 32 == 0) parts[axis][threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= kAxes) return;
  const float* own = parts[threadIdx.x];
  forces[threadIdx.x * kAtoms + blockIdx.x] = own[0] + own[1] + own[2] + own[3];
}

Case make(bool by_products) {
  auto* forces = device_array<float>(kAtoms * kAxes);
  auto* gradients = device_array<float4>(kPairs);
  auto* slopes = device_array<float4>(kPairs * kAxes);
  fill_fractions(reinterpret_cast<float*>(gradients), kPairs * kDescriptors, 1);
  fill_fractions(reinterpret_cast<float*>(slopes), kPairs * kDescriptors * kAxes, 2);
  return {[=] {
            if (by_products) {
              CHECK(cudaMemsetAsync(forces, 0, kAtoms * kAxes * sizeof(float)));
              forces_by_products<<<kAtoms, kNeighbours>>>(forces, gradients, slopes);
            } else {
              forces_by_blocks<<<kAtoms, kNeighbours>>>(forces, gradients, slopes);
            }
          },
          [=] { return device_sum(forces, kAtoms * kAxes); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
