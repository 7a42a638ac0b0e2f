// Two million points of a digital sequence in 32 dimensions.
// Nothing is wrong: all lanes read one direction at a time from constant memory, and neighbouring lanes store
// neighbouring points of a dimension. The pattern is that of NVIDIA/cuda-samples,
// Samples/5_Domain_Specific/SobolQRNG.
#include "../case.cuh"

namespace {

constexpr int kPoints = 2 << 20, kDimensions = 32, kBits = 32, kThreads = 256;
__constant__ unsigned kDirections[kDimensions * kBits];

__global__ void place_points(float* points) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, dimension = blockIdx.y;
  const unsigned gray = i ^ i >> 1;
  unsigned bits = 0;
#pragma unroll
  for (unsigned k = 0; k < kBits; ++k) bits ^= (gray >> k & 1) * kDirections[dimension * kBits + k];
  points[dimension * kPoints + i] = static_cast<float>(bits >> 8) / static_cast<float>(1U << 24);
}

Case make() {
  auto* points = device_array<float>(std::size_t{kPoints} * kDimensions);
  unsigned directions[kDimensions * kBits];
  for (unsigned dimension = 0; dimension < kDimensions; ++dimension) {
    for (unsigned k = 0; k < kBits; ++k) {
      const unsigned top = 1U << (kBits - 1 - k), above = ~(2 * top - 1) * (k > 0 ? 1 : 0);
      directions[dimension * kBits + k] =
          top | (mixed_bits(dimension * kBits + k) & above & (dimension > 0 ? ~0U : 0));
    }
  }
  CHECK(cudaMemcpyToSymbol(kDirections, directions, sizeof(directions)));
  return {[=] { place_points<<<dim3(kPoints / kThreads, kDimensions), kThreads>>>(points); },
          [=] { return device_sum(points, std::size_t{1} << 22); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
