// The gradient of a bias: the sum of each column of a row-major matrix of gradients.
// At fault: a block sums one column, so that the lanes of a warp read 32 rows, 4 KB apart.
// The pattern is that of karpathy/llm.c, dev/cuda/matmul_backward_bias.cu: kernels 1 and 4.
#include "../case.cuh"

namespace {

constexpr int kRows = 32768, kChannels = 1024, kThreads = 512, kChunks = 32;

__device__ float sum_of_warp(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffU, value, offset);
  return value;
}

__global__ void bias_gradient_by_column(float* bias, const float* gradient, int rows, int channels) {
  __shared__ float partial[32];
  const int channel = static_cast<int>(blockIdx.x);
  float sum = 0;
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += static_cast<int>(blockDim.x)) {
    sum += gradient[static_cast<std::size_t>(row) * channels + channel];  // fault
  }
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = sum_of_warp(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0F);
  if (threadIdx.x == 0) atomicAdd(bias + channel, sum);
}

// A warp reads 32 columns of a row; the warps of a block take turns with the rows of a chunk.
__global__ void bias_gradient_by_row(float* bias, const float* gradient, int rows, int channels) {
  __shared__ float partial[kThreads / 32][32];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int channel = static_cast<int>(blockIdx.x) * 32 + lane;
  const int chunk = rows / kChunks, first = static_cast<int>(blockIdx.y) * chunk;
  float sum = 0;
  if (channel < channels) {
    for (int row = first + warp; row < first + chunk; row += kThreads / 32) {
      sum += gradient[static_cast<std::size_t>(row) * channels + channel];
    }
  }
  partial[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || channel >= channels) return;
  for (int other = 1; other < kThreads / 32; ++other) sum += partial[other][lane];
  atomicAdd(bias + channel, sum);
}

Case make(bool by_column) {
  const std::size_t words = static_cast<std::size_t>(kRows) * kChannels;
  float* gradient = device_array<float>(words);
  float* bias = device_array<float>(kChannels);
  fill_fractions(gradient, words, 1);
  return {[=] {
            CHECK(cudaMemsetAsync(bias, 0, kChannels * sizeof(float)));
            if (by_column) {
              bias_gradient_by_column<<<kChannels, kThreads>>>(bias, gradient, kRows, kChannels);
            } else {
              bias_gradient_by_row<<<dim3(kChannels / 32, kChunks), kThreads>>>(bias, gradient, kRows,
                                                                                kChannels);
            }
          },
          [=] { return device_sum(bias, kChannels); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
