// The gradients of layer normalisation: of its input, and of its weight and bias, which all rows share.
// At fault: each row adds to the gradients of weight and bias in global memory, 65,536 atomics to each
// address. The pattern is that of karpathy/llm.c, dev/cuda/layernorm_backward.cu: kernel 2 before and after
// its repair.
#include "../case.cuh"

namespace {

constexpr int kRows = 65536, kChannels = 256, kThreads = 256, kEach = kChannels / 32, kBlocks = 132 * 6;

struct Tensors {
  float *in_gradient, *weight_gradient, *bias_gradient;
  const float *gradient, *in, *weight, *mean, *scale;
};

__device__ float sum_of_warp(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffU, value, offset);
  return value;
}

// What a row's lanes hold of it, and its two means.
struct Row {
  float normal[kEach], gradient[kEach], mean, mean_normal;
};

__device__ Row row_of(const Tensors& t, int row, int lane) {
  Row held{};
  const std::size_t first = static_cast<std::size_t>(row) * kChannels + lane;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    held.gradient[i] = t.gradient[first + i * 32];
    held.normal[i] = (t.in[first + i * 32] - t.mean[row]) * t.scale[row];
    const float weighted = t.weight[lane + i * 32] * held.gradient[i];
    held.mean += weighted;
    held.mean_normal += weighted * held.normal[i];
  }
  held.mean = sum_of_warp(held.mean) / kChannels;
  held.mean_normal = sum_of_warp(held.mean_normal) / kChannels;
  return held;
}

__device__ void store_in_gradient(const Tensors& t, const Row& held, int row, int lane) {
  const std::size_t first = static_cast<std::size_t>(row) * kChannels + lane;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const float weighted = t.weight[lane + i * 32] * held.gradient[i];
    t.in_gradient[first + i * 32] = (weighted - held.mean - held.normal[i] * held.mean_normal) * t.scale[row];
  }
}

__global__ void layernorm_gradients_global(Tensors t, int rows) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (row >= rows) return;
  const Row held = row_of(t, row, lane);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int channel = lane + i * 32;
    atomicAdd(t.bias_gradient + channel, held.gradient[i]);
    atomicAdd(t.weight_gradient + channel, held.normal[i] * held.gradient[i]);  // fault
  }
  store_in_gradient(t, held, row, lane);
}

// The sums of a warp's rows stay in registers; a block adds them once.
__global__ void layernorm_gradients_block(Tensors t, int rows) {
  __shared__ float weight_sums[kThreads / 32][kChannels], bias_sums[kThreads / 32][kChannels];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int warps = static_cast<int>(gridDim.x) * (kThreads / 32);
  float weight_sum[kEach] = {}, bias_sum[kEach] = {};
  for (int row = static_cast<int>(blockIdx.x) * (kThreads / 32) + warp; row < rows; row += warps) {
    const Row held = row_of(t, row, lane);
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      bias_sum[i] += held.gradient[i];
      weight_sum[i] += held.normal[i] * held.gradient[i];
    }
    store_in_gradient(t, held, row, lane);
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    weight_sums[warp][lane + i * 32] = weight_sum[i];
    bias_sums[warp][lane + i * 32] = bias_sum[i];
  }
  __syncthreads();
  const int channel = static_cast<int>(threadIdx.x);
  float weight = 0, bias = 0;
  for (int other = 0; other < kThreads / 32; ++other) {
    weight += weight_sums[other][channel];
    bias += bias_sums[other][channel];
  }
  atomicAdd(t.weight_gradient + channel, weight);
  atomicAdd(t.bias_gradient + channel, bias);
}

float* filled(std::size_t words, unsigned seed) {
  float* made = device_array<float>(words);
  fill_fractions(made, words, seed);
  return made;
}

Case make(bool global) {
  static_assert(kThreads == kChannels);
  const std::size_t words = static_cast<std::size_t>(kRows) * kChannels;
  float* sums = device_array<float>(2 * kChannels);
  const Tensors t{device_array<float>(words), sums,
                  sums + kChannels,           filled(words, 1),
                  filled(words, 2),           filled(kChannels, 3),
                  filled(kRows, 4),           filled(kRows, 5)};
  return {[=] {
            CHECK(cudaMemsetAsync(sums, 0, 2 * kChannels * sizeof(float)));
            if (global) {
              layernorm_gradients_global<<<blocks_for(kRows * 32, kThreads), kThreads>>>(t, kRows);
            } else {
              layernorm_gradients_block<<<kBlocks, kThreads>>>(t, kRows);
            }
          },
          [=] { return device_sum(sums + kChannels, kChannels) + device_sum(t.in_gradient, 1 << 16); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
