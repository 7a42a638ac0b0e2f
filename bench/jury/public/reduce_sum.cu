// The sum of 64 million floats in two launches.
// Nothing is wrong: 16 bytes a lane in order, sums in registers, one store a block.
// The pattern is that of NVIDIA/cuda-samples, Samples/2_Concepts_and_Techniques/reduction: its last kernels.
#include "../case.cuh"

namespace {

constexpr std::size_t kFours = 16 << 20;
constexpr unsigned kThreads = 512, kBlocks = 132 * 4;

__device__ float sum_of_block(float sum) {
  __shared__ float partial[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  sum = threadIdx.x < kThreads / 32 ? partial[threadIdx.x] : 0;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, offset);
  return sum;
}

__global__ void __launch_bounds__(kThreads)
    reduce_to_blocks(float* sums, const float4* in, std::size_t fours) {
  float sum = 0;
  const std::size_t all = static_cast<std::size_t>(gridDim.x) * kThreads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < fours; i += all) {
    const float4 four = in[i];
    sum += four.x + four.y + four.z + four.w;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads) reduce_to_one(float* total, const float* sums, unsigned count) {
  float sum = 0;
  for (unsigned i = threadIdx.x; i < count; i += kThreads) sum += sums[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *total = sum;
}

Case make() {
  auto* in = device_array<float>(4 * kFours);
  auto* sums = device_array<float>(kBlocks);
  auto* total = device_array<float>(1);
  fill_fractions(in, 4 * kFours, 1);
  return {[=] {
            reduce_to_blocks<<<kBlocks, kThreads>>>(sums, reinterpret_cast<const float4*>(in), kFours);
            reduce_to_one<<<1, kThreads>>>(total, sums, kBlocks);
          },
          [=] { return device_sum(total, 1); }, 4000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
