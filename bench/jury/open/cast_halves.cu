// Clean: turns floats into 16-bit floats. A thread reads 32 bytes in two halves, of which L1 keeps the
// second, and stores 16.
#include <cuda_fp16.h>

#include "../case.cuh"

namespace {

constexpr unsigned kCount = 1U << 26;

__device__ unsigned packed(float a, float b) {
  const __half2 both = __floats2half2_rn(a, b);
  return *reinterpret_cast<const unsigned*>(&both);
}

__global__ void to_half(const float4* in, uint4* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = in[2 * i], b = in[2 * i + 1];
  out[i] = make_uint4(packed(a.x, a.y), packed(a.z, a.w), packed(b.x, b.y), packed(b.z, b.w));
}

Case clean() {
  float* in = device_array<float>(kCount);
  __half* out = device_array<__half>(kCount);
  fill_fractions(in, kCount, 103);
  return {[=] {
            to_half<<<blocks_for(kCount / 8, 256), 256>>>(reinterpret_cast<const float4*>(in),
                                                          reinterpret_cast<uint4*>(out), kCount / 8);
          },
          [=] { return device_sum(out, 1 << 20); }, 2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
