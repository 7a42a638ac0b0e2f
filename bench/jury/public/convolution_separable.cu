// A convolution with 17 x 17 weights, rows and then columns, through tiles in shared memory.
// Nothing is wrong: the loads are coalesced, the weights are read at one address, and the tiles are free of
// conflicts. The pattern is that of NVIDIA/cuda-samples,
// Samples/2_Concepts_and_Techniques/convolutionSeparable.
#include "../case.cuh"

namespace {

constexpr int kWidth = 8192, kHeight = 4096, kRadius = 8;
constexpr int kRowThreads = 256;
constexpr int kColumnWidth = 32, kColumnRows = 8, kSteps = 8, kColumnHeight = kColumnRows * kSteps;

__constant__ float weights[2 * kRadius + 1];

__global__ void convolve_rows(float* out, const float* in) {
  __shared__ float tile[kRowThreads + 2 * kRadius];
  const int thread = static_cast<int>(threadIdx.x),
            first = static_cast<int>(blockIdx.x) * kRowThreads - kRadius;
  const std::size_t row = static_cast<std::size_t>(blockIdx.y) * kWidth;
  for (int i = thread; i < kRowThreads + 2 * kRadius; i += kRowThreads) {
    const int x = first + i;
    tile[i] = x >= 0 && x < kWidth ? in[row + x] : 0;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * kRadius; ++k) sum += weights[k] * tile[thread + k];
  out[row + first + kRadius + thread] = sum;
}

__global__ void convolve_columns(float* out, const float* in) {
  __shared__ float tile[kColumnHeight + 2 * kRadius][kColumnWidth];
  const int lane = static_cast<int>(threadIdx.x), x = static_cast<int>(blockIdx.x) * kColumnWidth + lane;
  const int first = static_cast<int>(blockIdx.y) * kColumnHeight - kRadius;
  for (int i = static_cast<int>(threadIdx.y); i < kColumnHeight + 2 * kRadius; i += kColumnRows) {
    const int y = first + i;
    tile[i][lane] = y >= 0 && y < kHeight ? in[static_cast<std::size_t>(y) * kWidth + x] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int row = static_cast<int>(threadIdx.y) + step * kColumnRows;
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * kRadius; ++k) sum += weights[k] * tile[row + k][lane];
    out[static_cast<std::size_t>(first + kRadius + row) * kWidth + x] = sum;
  }
}

Case make() {
  static_assert(kWidth % kRowThreads == 0 && kWidth % kColumnWidth == 0 && kHeight % kColumnHeight == 0);
  constexpr std::size_t kWords = static_cast<std::size_t>(kWidth) * kHeight;
  auto* in = device_array<float>(kWords);
  auto* between = device_array<float>(kWords);
  auto* out = device_array<float>(kWords);
  fill_fractions(in, kWords, 1);
  auto* chosen = pinned_array<float>(2 * kRadius + 1);
  for (unsigned i = 0; i <= 2 * kRadius; ++i) chosen[i] = mixed_fraction(i) / 9;
  CHECK(cudaMemcpyToSymbol(weights, chosen, (2 * kRadius + 1) * sizeof(float)));
  CHECK(cudaFreeHost(chosen));
  return {[=] {
            convolve_rows<<<dim3(kWidth / kRowThreads, kHeight), kRowThreads>>>(between, in);
            convolve_columns<<<dim3(kWidth / kColumnWidth, kHeight / kColumnHeight),
                               dim3(kColumnWidth, kColumnRows)>>>(out, between);
          },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
