// Losses and gradients of a classifier: 8192 rows of 32,768 logits in halves, from logits to gradients by one
// kernel.
// At fault: a warp goes three times along its row, and all rows are under way at once, so that each pass
// brings them from DRAM again. The pattern is that of karpathy/llm.c, whose pull request 150 gives a row to a
// block of 1024 threads: few rows are under way then, and the later passes find them in L2.
#include <cuda_fp16.h>

#include "../case.cuh"

namespace {

constexpr int kRows = 8192, kClasses = 32768, kVectors = kClasses / 8, kThreads = 256, kWide = 1024;

// Eight logits.
struct Eight {
  float values[8];
};

__device__ Eight unpacked(uint4 packed) {
  const unsigned words[4] = {packed.x, packed.y, packed.z, packed.w};
  Eight eight;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float2 two = __half22float2(*reinterpret_cast<const __half2*>(&words[k]));
    eight.values[2 * k] = two.x;
    eight.values[2 * k + 1] = two.y;
  }
  return eight;
}

__device__ float largest(Eight eight) {
  float high = eight.values[0];
#pragma unroll
  for (int k = 1; k < 8; ++k) high = fmaxf(high, eight.values[k]);
  return high;
}

__device__ float sum_of_powers(Eight eight, float high) {
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += __expf(eight.values[k] - high);
  return sum;
}

// `place` is that of the right class among the eight, or any other number.
__device__ uint4 gradient(Eight eight, float high, float scale, int place) {
  unsigned words[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float one = __expf(eight.values[2 * k] - high) * scale - (place == 2 * k ? 1.0F : 0.0F);
    const float other = __expf(eight.values[2 * k + 1] - high) * scale - (place == 2 * k + 1 ? 1.0F : 0.0F);
    const __half2 two = __floats2half2_rn(one, other);
    words[k] = *reinterpret_cast<const unsigned*>(&two);
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

__device__ float max_of_warp(float value) {
#pragma unroll
  for (int far = 16; far > 0; far /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, far));
  return value;
}

__device__ float sum_of_warp(float value) {
#pragma unroll
  for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(0xffffffffU, value, far);
  return value;
}

__global__ void gradient_by_warp(uint4* gradients, float* losses, const uint4* logits, const int* classes) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x % 32), right = classes[row];
  const std::size_t first = static_cast<std::size_t>(row) * kVectors;
  const uint4* own = logits + first;
  float high = -1e30F, sum = 0;
#pragma unroll 4
  for (int i = lane; i < kVectors; i += 32) high = fmaxf(high, largest(unpacked(own[i])));  // fault
  high = max_of_warp(high);
#pragma unroll 4
  for (int i = lane; i < kVectors; i += 32) sum += sum_of_powers(unpacked(own[i]), high);  // fault
  sum = sum_of_warp(sum);
#pragma unroll 4
  for (int i = lane; i < kVectors; i += 32)
    __stcs(gradients + first + i, gradient(unpacked(own[i]), high, 1 / sum, right - i * 8));  // fault
  if (lane == 0) losses[row] = __logf(sum) + high - __half2float(reinterpret_cast<const __half*>(own)[right]);
}

// For a block of kWide threads; each of them gets the result.
template <class Join>
__device__ float joined_in_block(float value, float* parts, Join join) {
  value = join(value);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = join(parts[threadIdx.x % 32]);
  __syncthreads();
  return value;
}

__global__ void __launch_bounds__(kWide)
    gradient_by_block(uint4* gradients, float* losses, const uint4* logits, const int* classes) {
  __shared__ float parts[kWide / 32];
  const int row = static_cast<int>(blockIdx.x), right = classes[row];
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t first = static_cast<std::size_t>(row) * kVectors;
  const uint4* own = logits + first;
  float high = -1e30F, sum = 0;
#pragma unroll
  for (int i = 0; i < kVectors; i += kWide) high = fmaxf(high, largest(unpacked(own[i + thread])));
  high = joined_in_block(high, parts, max_of_warp);
#pragma unroll
  for (int i = 0; i < kVectors; i += kWide) sum += sum_of_powers(unpacked(own[i + thread]), high);
  sum = joined_in_block(sum, parts, sum_of_warp);
#pragma unroll
  for (int i = 0; i < kVectors; i += kWide)
    __stcs(gradients + first + i + thread,
           gradient(unpacked(__ldcs(own + i + thread)), high, 1 / sum, right - (i + thread) * 8));
  if (thread == 0)
    losses[row] = __logf(sum) + high - __half2float(reinterpret_cast<const __half*>(own)[right]);
}

__global__ void fill_logits(__half2* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = __floats2half2_rn(6 * mixed_fraction(i), 6 * mixed_fraction(i + (1U << 30)));
}

Case make(bool by_warp) {
  constexpr std::size_t kAll = std::size_t{kRows} * kVectors;
  auto* logits = device_array<uint4>(kAll);
  auto* gradients = device_array<uint4>(kAll);
  auto* losses = device_array<float>(kRows);
  auto* classes = device_array<int>(kRows);
  fill_logits<<<static_cast<unsigned>(kAll * 4 / kThreads), kThreads>>>(reinterpret_cast<__half2*>(logits));
  fill_below(classes, kRows, kClasses, 3);
  return {[=] {
            if (by_warp) {
              gradient_by_warp<<<kRows / (kThreads / 32), kThreads>>>(gradients, losses, logits, classes);
            } else {
              gradient_by_block<<<kRows, kWide>>>(gradients, losses, logits, classes);
            }
          },
          [=] { return device_sum(losses, kRows); }, 600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
