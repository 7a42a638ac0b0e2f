// Clean: replaces what lies outside of limits, so that few lanes store, in an array whose end is in the
// middle of a block.
#include "../case.cuh"

namespace {

constexpr unsigned kCount = 50'000'019;

__global__ void limit_values(const float* in, float* out, float low, float high, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = in[i];
  if (value < low || value > high) out[i] = value < low ? low : high;
}

Case clean() {
  float* in = device_array<float>(kCount);
  float* out = device_array<float>(kCount);
  fill_fractions(in, kCount, 115);
  fill_fractions(out, kCount, 115);
  return {[=] { limit_values<<<blocks_for(kCount, 256), 256>>>(in, out, 0.1F, 0.9F, kCount); },
          [=] { return device_sum(out, 1 << 20); }, 2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
