// Expands 134 million weights of 4 bits, with a scale for each 16, to halves.
// At fault: a thread loads one byte and stores its two halves one by one. The pattern is that of
// microsoft/onnxruntime, whose pull request 32128 gives a thread 8 weights, which it loads and stores at
// once.
#include <cuda_fp16.h>

#include "../case.cuh"

namespace {

constexpr int kBytes = 64 << 20, kThreads = 256, kScaled = 16;

// A sign, two bits of exponent, one of mantissa.
__device__ float value_of(unsigned code) {
  const unsigned exponent = code >> 1 & 3, mantissa = code & 1;
  const float half_steps = static_cast<float>(mantissa) * 0.5F;
  const float magnitude =
      exponent == 0 ? half_steps : (1 + half_steps) * static_cast<float>(1U << (exponent - 1));
  return (code & 8) != 0 ? -magnitude : magnitude;
}

__device__ float scale_of(unsigned char code) {
  return static_cast<float>(code + 1) / 64;
}

__global__ void expand_by_byte(__half* weights, const unsigned char* packed, const unsigned char* scales) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kBytes) return;
  const unsigned pair = packed[i];  // fault
  const float scale = scale_of(scales[i / (kScaled / 2)]);
  weights[2 * i] = __float2half(value_of(pair & 15) * scale);      // fault
  weights[2 * i + 1] = __float2half(value_of(pair >> 4) * scale);  // fault
}

__device__ unsigned two_halves(unsigned pair, float scale) {
  const __half2 halves = __floats2half2_rn(value_of(pair & 15) * scale, value_of(pair >> 4) * scale);
  return *reinterpret_cast<const unsigned*>(&halves);
}

__global__ void expand_by_word(uint4* weights, const unsigned* packed, const unsigned char* scales) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kBytes / 4) return;
  const unsigned codes = packed[i];
  const float scale = scale_of(scales[i / (kScaled / 8)]);
  weights[i] = make_uint4(two_halves(codes & 0xff, scale), two_halves(codes >> 8 & 0xff, scale),
                          two_halves(codes >> 16 & 0xff, scale), two_halves(codes >> 24, scale));
}

__global__ void fill_codes(unsigned* words, int count, unsigned mask) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) words[i] = mixed_bits(static_cast<unsigned>(i)) & mask;
}

double sum_of_halves(const __half* weights) {
  constexpr int kCount = 1 << 22;
  auto* host = pinned_array<__half>(kCount);
  CHECK(cudaMemcpy(host, weights, kCount * sizeof(__half), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < kCount; ++i) sum += static_cast<double>(__half2float(host[i])) * (i % 7);
  CHECK(cudaFreeHost(host));
  return sum;
}

Case make(bool by_byte) {
  auto* packed = device_array<unsigned>(kBytes / 4);
  auto* scales = device_array<unsigned>(kBytes / 32);
  auto* weights = device_array<__half>(std::size_t{2} * kBytes);
  // Without the signs, so that the sum is not what rounding leaves.
  fill_codes<<<blocks_for(kBytes / 4, 256), 256>>>(packed, kBytes / 4, 0x77777777U);
  fill_codes<<<blocks_for(kBytes / 32, 256), 256>>>(scales, kBytes / 32, 0xffffffffU);
  const auto* scale_bytes = reinterpret_cast<const unsigned char*>(scales);
  return {[=] {
            if (by_byte) {
              expand_by_byte<<<blocks_for(kBytes, kThreads), kThreads>>>(
                  weights, reinterpret_cast<const unsigned char*>(packed), scale_bytes);
            } else {
              expand_by_word<<<blocks_for(kBytes / 4, kThreads), kThreads>>>(
                  reinterpret_cast<uint4*>(weights), packed, scale_bytes);
            }
          },
          [=] { return sum_of_halves(weights); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
