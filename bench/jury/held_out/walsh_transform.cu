// Walsh transforms of 65,536 signals of 1024 values.
// Nothing is wrong: a warp takes a signal; its registers hold the far pairs, and shuffles bring the near
// ones. The pattern is that of NVIDIA/cuda-samples, Samples/5_Domain_Specific/fastWalshTransform.
#include "../case.cuh"

namespace {

constexpr int kSignals = 1 << 16, kLength = 1024, kOwn = kLength / 32, kThreads = 256;

__global__ void transform_signals(float* out, const float* in) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto at = static_cast<std::size_t>((blockIdx.x * kThreads + threadIdx.x) / 32) * kLength + lane;
  float own[kOwn];
#pragma unroll
  for (int i = 0; i < kOwn; ++i) own[i] = in[at + i * 32];
#pragma unroll
  for (int step = kOwn / 2; step > 0; step /= 2) {
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      if ((i & step) != 0) continue;
      const float sum = own[i] + own[i + step];
      own[i + step] = own[i] - own[i + step];
      own[i] = sum;
    }
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      const float other = __shfl_xor_sync(0xffffffffU, own[i], step);
      own[i] = (lane & step) != 0 ? other - own[i] : own[i] + other;
    }
  }
#pragma unroll
  for (int i = 0; i < kOwn; ++i) out[at + i * 32] = own[i];
}

Case make() {
  constexpr std::size_t kAll = std::size_t{kSignals} * kLength;
  auto* in = device_array<float>(kAll);
  auto* out = device_array<float>(kAll);
  fill_fractions(in, kAll, 1);
  return {[=] { transform_signals<<<kSignals / (kThreads / 32), kThreads>>>(out, in); },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
