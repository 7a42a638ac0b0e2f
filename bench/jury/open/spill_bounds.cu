// Projects short series on 40 Chebyshev polynomials, whose sums a thread keeps.
// Fault: launch bounds that leave 32 registers for 40 sums. Repair: smaller blocks, and registers for all.
#include "../case.cuh"

namespace {

constexpr unsigned kSeries = 1U << 20, kSamples = 32, kOrders = 40;

__device__ __forceinline__ void project(const float* samples, float* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= kSeries) return;
  float sums[kOrders] = {};
  for (unsigned s = 0; s < kSamples; ++s) {
    const float value = samples[s * kSeries + t], x = 2.0F / kSamples * (static_cast<float>(s) + 0.5F) - 1;
    float before = value, now = value * x;
#pragma unroll
    for (unsigned k = 0; k < kOrders; ++k) {
      sums[k] += before;  // fault
      const float next = 2 * x * now - before;
      before = now;
      now = next;
    }
  }
#pragma unroll
  for (unsigned k = 0; k < kOrders; ++k) out[k * kSeries + t] = sums[k];  // fault
}

__global__ void __launch_bounds__(1024, 2) project_bounded(const float* samples, float* out) {  // fault
  project(samples, out);
}

__global__ void __launch_bounds__(256) project_freely(const float* samples, float* out) {
  project(samples, out);
}

Case side(decltype(&project_freely) kernel, unsigned block) {
  float* samples = device_array<float>(kSeries * kSamples);
  float* out = device_array<float>(kSeries * kOrders);
  fill_fractions(samples, kSeries * kSamples, 26);
  return {[=] { kernel<<<blocks_for(kSeries, block), block>>>(samples, out); },
          [=] { return device_sum(out, 4 * kSeries); }, 500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(project_bounded, 1024); }, [] { return side(project_freely, 256); });
}
