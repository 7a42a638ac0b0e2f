// A convolution of many signals, with 16 taps that lie 32 samples apart.
// Fault: each signal begins one word off, behind a header. Repair: headers lie elsewhere, and rows are
// aligned.
#include "../case.cuh"

namespace {

constexpr unsigned kSignals = 4096, kSamples = 8192, kTaps = 16, kApart = 32;
constexpr unsigned kResults = kSamples - (kTaps - 1) * kApart;

struct Taps {
  float weight[kTaps];
};

// Of each signal the header, a word, and the samples.
__global__ void convolve_behind_header(const float* signals, float* out, Taps taps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kResults) return;
  const float* samples = signals + blockIdx.y * (kSamples + 1) + 1;
  float sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kTaps; ++k) sum += taps.weight[k] * samples[i + k * kApart];  // fault
  out[blockIdx.y * kSamples + i] = sum;
}

__global__ void convolve_aligned(const float* signals, float* out, Taps taps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kResults) return;
  const float* samples = signals + blockIdx.y * kSamples;
  float sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kTaps; ++k) sum += taps.weight[k] * samples[i + k * kApart];
  out[blockIdx.y * kSamples + i] = sum;
}

// Sample i of a signal; with a header before it or not.
__global__ void fill_signals(float* signals, unsigned header) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSamples)
    signals[blockIdx.y * (kSamples + header) + header + i] = mixed_fraction(blockIdx.y * kSamples + i);
}

Case side(decltype(&convolve_aligned) kernel, unsigned header) {
  float* signals = device_array<float>(kSignals * (kSamples + header));
  float* out = device_array<float>(kSignals * kSamples);
  fill_signals<<<dim3(kSamples / 256, kSignals), 256>>>(signals, header);
  Taps taps{};
  for (unsigned k = 0; k < kTaps; ++k) taps.weight[k] = 1.0F / static_cast<float>(k + 1);
  const dim3 grid(blocks_for(kResults, 256), kSignals);
  return {[=] { kernel<<<grid, 256>>>(signals, out, taps); }, [=] { return device_sum(out, kResults); },
          2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(convolve_behind_header, 1); }, [] { return side(convolve_aligned, 0); });
}
