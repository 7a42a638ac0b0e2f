// The mean of nine neighbours along each row of an image of 4096 x 4096 values.
// At fault: a thread goes along a row with a running sum, so that neighbouring lanes read and write 16 KB
// apart, in few blocks. The pattern is that of NVIDIA/cuda-samples,
// Samples/2_Concepts_and_Techniques/boxFilter, whose passes along x and along y differ by it. The repair
// takes a block for each row.
#include "../case.cuh"

namespace {

constexpr int kSize = 4096, kRadius = 4, kThreads = 256, kRowThreads = 64, kWindow = 2 * kRadius + 1;

__global__ void mean_by_thread(float* means, const float* image) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= kSize) return;
  const float* from = image + row * kSize;
  float* to = means + row * kSize;
  float sum = static_cast<float>(kRadius) * from[0];
  for (int i = 0; i <= kRadius; ++i) sum += from[i];  // fault
  for (int i = 0; i < kSize; ++i) {
    to[i] = sum / kWindow;                                                     // fault
    sum += from[min(i + kRadius + 1, kSize - 1)] - from[max(i - kRadius, 0)];  // fault
  }
}

__global__ void mean_by_block(float* means, const float* image) {
  __shared__ float line[kSize + 2 * kRadius];
  const int row = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const float* from = image + row * kSize;
  for (int i = thread; i < kSize; i += kThreads) line[i + kRadius] = from[i];
  if (thread < kRadius) {
    line[thread] = from[0];
    line[kSize + kRadius + thread] = from[kSize - 1];
  }
  __syncthreads();
  for (int i = thread; i < kSize; i += kThreads) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kWindow; ++k) sum += line[i + k];
    means[row * kSize + i] = sum / kWindow;
  }
}

Case make(bool by_thread) {
  constexpr std::size_t kPixels = std::size_t{kSize} * kSize;
  auto* image = device_array<float>(kPixels);
  auto* means = device_array<float>(kPixels);
  fill_fractions(image, kPixels, 1);
  return {[=] {
            if (by_thread) {
              mean_by_thread<<<kSize / kRowThreads, kRowThreads>>>(means, image);
            } else {
              mean_by_block<<<kSize, kThreads>>>(means, image);
            }
          },
          [=] { return device_sum(means, std::size_t{1} << 22); }, 400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
