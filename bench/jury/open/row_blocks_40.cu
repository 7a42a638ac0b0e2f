// Scales and shifts records of 40 values, and limits them.
// Fault: a block of 40 threads for each record, so that 24 of 64 lanes idle. Repair: whole warps over all
// values.
#include "../case.cuh"

namespace {

constexpr unsigned kRecords = 1U << 20, kWidth = 40, kCount = kRecords * kWidth;

__device__ float activated(float value, float scale, float shift) {
  return fmaxf(value * scale + shift, 0.0F);
}

__global__ void activate_records(const float* in, const float* scale, const float* shift, float* out) {
  const unsigned i = blockIdx.x * kWidth + threadIdx.x;
  out[i] = activated(in[i], scale[threadIdx.x], shift[threadIdx.x]);  // fault
}

__global__ void activate_values(const float* in, const float* scale, const float* shift, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = activated(in[i], scale[i % kWidth], shift[i % kWidth]);
}

Case side(decltype(&activate_values) kernel, unsigned blocks, unsigned block) {
  float* in = device_array<float>(kCount);
  float* scale = device_array<float>(kWidth);
  float* shift = device_array<float>(kWidth);
  float* out = device_array<float>(kCount);
  fill_fractions(in, kCount, 28);
  fill_fractions(scale, kWidth, 29);
  fill_fractions(shift, kWidth, 30);
  return {[=] { kernel<<<blocks, block>>>(in, scale, shift, out); }, [=] { return device_sum(out, 1 << 20); },
          1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(activate_records, kRecords, kWidth); },
      [] { return side(activate_values, blocks_for(kCount, 256), 256); });
}
