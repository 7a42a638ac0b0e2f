// The norms of 48 tensors of different sizes, 65 million values in all, in one launch.
// Nothing is wrong: a block takes 65,536 values of one tensor, four a lane, and leaves one sum; a second,
// small kernel joins these. After NVIDIA/apex, csrc/multi_tensor_l2norm_kernel.cu.
#include "../case.cuh"

namespace {

constexpr int kTensors = 48, kChunk = 1 << 16, kThreads = 512, kMost = 1024;

// A parameter of the kernel: where the tensors lie, and which one a block works on.
struct Tensors {
  const float4* values[kTensors];
  int fours[kTensors], first_chunks[kTensors + 1];
  unsigned char of_block[kMost];
};

// In the block's first thread.
__device__ float sum_of_block(float sum) {
  __shared__ float parts[32];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  return sum;
}

__global__ void __launch_bounds__(kThreads)
    square_chunks(float* chunks, const __grid_constant__ Tensors tensors) {
  const int tensor = tensors.of_block[blockIdx.x];
  const int begin = (static_cast<int>(blockIdx.x) - tensors.first_chunks[tensor]) * (kChunk / 4);
  const int end = min(begin + kChunk / 4, tensors.fours[tensor]);
  const float4* values = tensors.values[tensor];
  float sum = 0;
#pragma unroll 4
  for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += kThreads) {
    const float4 four = values[i];
    sum += four.x * four.x + four.y * four.y + four.z * four.z + four.w * four.w;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) chunks[blockIdx.x] = sum;
}

__global__ void join_chunks(float* norms, const float* chunks, const __grid_constant__ Tensors tensors) {
  const int tensor = static_cast<int>(blockIdx.x), end = tensors.first_chunks[tensor + 1];
  float sum = 0;
  for (int i = tensors.first_chunks[tensor] + static_cast<int>(threadIdx.x); i < end; i += 32)
    sum += chunks[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) norms[tensor] = sqrtf(sum);
}

Case make() {
  Tensors tensors{};
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    const int whole = 2 + tensor * 7 % 40, values = whole * kChunk - tensor * 1000;
    float* memory = device_array<float>(static_cast<std::size_t>(values));
    fill_fractions(memory, static_cast<std::size_t>(values), static_cast<unsigned>(tensor));
    tensors.values[tensor] = reinterpret_cast<const float4*>(memory);
    tensors.fours[tensor] = values / 4;
    const int first = tensors.first_chunks[tensor];
    const int chunks = (values + kChunk - 1) / kChunk;
    tensors.first_chunks[tensor + 1] = first + chunks;
    for (int i = first; i < first + chunks && i < kMost; ++i)
      tensors.of_block[i] = static_cast<unsigned char>(tensor);
  }
  const int blocks = tensors.first_chunks[kTensors];
  if (blocks > kMost) std::exit(9);
  auto* chunks = device_array<float>(kMost);
  auto* norms = device_array<float>(kTensors);
  return {[=] {
            square_chunks<<<static_cast<unsigned>(blocks), kThreads>>>(chunks, tensors);
            join_chunks<<<kTensors, 32>>>(norms, chunks, tensors);
          },
          [=] { return device_sum(norms, kTensors); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
