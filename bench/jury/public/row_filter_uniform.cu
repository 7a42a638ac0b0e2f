// Filters the rows of an image of 8192 x 8192 with 25 weights.
// Nothing is wrong: a block shares its part of a row, and all lanes want the same weight of constant memory.
// The pattern is that of opencv/opencv_contrib, modules/cudafilters/src/cuda/row_filter.hpp.
#include "../case.cuh"

namespace {

constexpr int kSide = 8192, kReach = 12, kWeights = 2 * kReach + 1, kThreads = 256;

__constant__ float weights[kWeights];

__global__ void filter_rows(float* out, const float* in) {
  __shared__ float part[kThreads + 2 * kReach];
  const int first = static_cast<int>(blockIdx.x) * kThreads, row = static_cast<int>(blockIdx.y) * kSide;
  for (int i = static_cast<int>(threadIdx.x); i < kThreads + 2 * kReach; i += kThreads) {
    part[i] = in[row + min(max(first + i - kReach, 0), kSide - 1)];
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kWeights; ++k) sum += weights[k] * part[threadIdx.x + k];
  out[row + first + static_cast<int>(threadIdx.x)] = sum;
}

Case make() {
  constexpr std::size_t kPixels = std::size_t{kSide} * kSide;
  auto* in = device_array<float>(kPixels);
  auto* out = device_array<float>(kPixels);
  fill_fractions(in, kPixels, 1);
  auto* chosen = pinned_array<float>(kWeights);
  for (int i = 0; i < kWeights; ++i) chosen[i] = 1.0F / static_cast<float>(1 + std::abs(i - kReach));
  CHECK(cudaMemcpyToSymbol(weights, chosen, sizeof(weights)));
  CHECK(cudaFreeHost(chosen));
  return {[=] { filter_rows<<<dim3(kSide / kThreads, kSide), kThreads>>>(out, in); },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
