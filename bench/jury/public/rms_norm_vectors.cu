// Divides each of 16,384 rows of 4096 halves by its root mean square.
// Nothing is wrong: a block takes a row, 16 bytes a thread, and keeps it in registers between the sum and the
// product. The pattern is that of vllm-project/vllm, csrc/layernorm_kernels.cu.
#include <cuda_fp16.h>

#include "../case.cuh"

namespace {

constexpr int kRows = 16384, kColumns = 4096, kThreads = kColumns / 8;

__device__ float2 pair_of(unsigned word) {
  return __half22float2(*reinterpret_cast<const __half2*>(&word));
}

__device__ unsigned word_of(float2 pair) {
  const __half2 halves = __floats2half2_rn(pair.x, pair.y);
  return *reinterpret_cast<const unsigned*>(&halves);
}

__device__ float squares(unsigned word) {
  const float2 pair = pair_of(word);
  return pair.x * pair.x + pair.y * pair.y;
}

__device__ unsigned scaled(unsigned word, unsigned weight, float scale) {
  const float2 value = pair_of(word), factor = pair_of(weight);
  return word_of(make_float2(value.x * scale * factor.x, value.y * scale * factor.y));
}

__device__ float sum_of_block(float sum) {
  __shared__ float of_warps[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, offset);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = of_warps[threadIdx.x % (kThreads / 32)];
  for (int offset = kThreads / 64; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, offset);
  return sum;
}

__global__ void __launch_bounds__(kThreads) normalise(uint4* out, const uint4* in, const uint4* weights) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const uint4 w = in[at], f = weights[threadIdx.x];
  const float sum = sum_of_block(squares(w.x) + squares(w.y) + squares(w.z) + squares(w.w));
  const float scale = rsqrtf(sum / kColumns + 1e-6F);
  out[at] = make_uint4(scaled(w.x, f.x, scale), scaled(w.y, f.y, scale), scaled(w.z, f.z, scale),
                       scaled(w.w, f.w, scale));
}

// Two halves a word, from 0 to 1.
__global__ void fill_halves(unsigned* words, std::size_t count) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const auto number = static_cast<unsigned>(2 * i);
  words[i] = word_of(make_float2(mixed_fraction(number), mixed_fraction(number + 1)));
}

Case make() {
  constexpr std::size_t kWords = std::size_t{kRows} * kColumns / 2;
  auto* in = device_array<unsigned>(kWords);
  auto* out = device_array<unsigned>(kWords);
  auto* weights = device_array<unsigned>(kColumns / 2);
  fill_halves<<<blocks_for(kWords, 256), 256>>>(in, kWords);
  fill_halves<<<blocks_for(kColumns / 2, 256), 256>>>(weights, kColumns / 2);
  return {[=] {
            normalise<<<kRows, kThreads>>>(reinterpret_cast<uint4*>(out), reinterpret_cast<const uint4*>(in),
                                           reinterpret_cast<const uint4*>(weights));
          },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 4000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
