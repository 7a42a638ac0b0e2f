// Turns 32,768 x 4096 activations of 2 bytes into bytes, with one scale for all.
// At fault: a thread reads one half and stores one byte. The pattern is that of vllm-project/vllm, whose
// pull request 19233 takes several at once; so does Comfy-Org/comfy-kitchen, pull request 127.
#include <cuda_fp16.h>

#include "../case.cuh"

namespace {

constexpr int kTokens = 32768, kFeatures = 4096, kThreads = 256, kOwn = 8;
constexpr std::size_t kValues = std::size_t{kTokens} * kFeatures;

__device__ unsigned byte_of(float value, float scale) {
  const int rounded = __float2int_rn(value * scale);
  return static_cast<unsigned>(min(max(rounded, -128), 127)) & 0xffU;
}

__global__ void bytes_by_one(signed char* out, const __half* in, float scale) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  out[i] = static_cast<signed char>(byte_of(__half2float(in[i]), scale));  // fault
}

__device__ unsigned four_bytes(unsigned low, unsigned high, float scale) {
  const float2 a = __half22float2(reinterpret_cast<const __half2&>(low));
  const float2 b = __half22float2(reinterpret_cast<const __half2&>(high));
  return byte_of(a.x, scale) | byte_of(a.y, scale) << 8 | byte_of(b.x, scale) << 16 |
         byte_of(b.y, scale) << 24;
}

__global__ void bytes_by_eight(uint2* out, const uint4* in, float scale) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const uint4 own = in[i];
  out[i] = {four_bytes(own.x, own.y, scale), four_bytes(own.z, own.w, scale)};
}

Case make(bool by_one) {
  auto* in = device_array<__half>(kValues);
  auto* out = device_array<signed char>(kValues);
  fill_fractions(in, kValues, 1);
  return {[=] {
            if (by_one) {
              bytes_by_one<<<blocks_for(kValues, kThreads), kThreads>>>(out, in, 120);
            } else {
              bytes_by_eight<<<blocks_for(kValues / kOwn, kThreads), kThreads>>>(
                  reinterpret_cast<uint2*>(out), reinterpret_cast<const uint4*>(in), 120);
            }
          },
          [=] { return device_sum(out, kValues); }, 1500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
