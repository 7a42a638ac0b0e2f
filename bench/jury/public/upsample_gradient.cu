// The gradient of an enlargement of 64 planes by 4 x 4: each pixel gets the sum of the 16 that were made of
// it. At fault: a thread for each of the 16 adds to the pixel with an atomic. The pattern is that of
// pytorch/pytorch, whose pull request 21694 lets a thread of upsample_nearest gather instead.
#include "../case.cuh"

namespace {

constexpr int kPlanes = 64, kSide = 256, kFactor = 4, kLarge = kSide * kFactor, kThreads = 256;
constexpr std::size_t kSmallWords = static_cast<std::size_t>(kPlanes) * kSide * kSide;
constexpr std::size_t kLargeWords = kSmallWords * kFactor * kFactor;

__global__ void gradient_by_atomics(float* small, const float* large) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= kLargeWords) return;
  const std::size_t x = i % kLarge / kFactor, y = i / kLarge % kLarge / kFactor,
                    plane = i / (kLarge * kLarge);
  atomicAdd(&small[(plane * kSide + y) * kSide + x], large[i]);  // fault
}

// The four pixels of a row are one load of 16 bytes.
__global__ void gradient_by_gather(float* small, const float4* large) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= kSmallWords) return;
  const std::size_t x = i % kSide, row = i / kSide * kFactor;
  float sum = 0;
  for (int k = 0; k < kFactor; ++k) {
    const float4 four = large[(row + k) * kSide + x];
    sum += four.x + four.y + four.z + four.w;
  }
  small[i] = sum;
}

float* made_gradient() {
  auto* large = device_array<float>(kLargeWords);
  fill_fractions(large, kLargeWords, 1);
  return large;
}

constexpr int kRounds = 1600;

Case by_atomics() {
  auto* large = made_gradient();
  auto* small = device_array<float>(kSmallWords);
  return {[=] {
            CHECK(cudaMemsetAsync(small, 0, kSmallWords * sizeof(float)));
            gradient_by_atomics<<<blocks_for(kLargeWords, kThreads), kThreads>>>(small, large);
          },
          [=] { return device_sum(small, kSmallWords); }, kRounds};
}

Case by_gather() {
  auto* large = made_gradient();
  auto* small = device_array<float>(kSmallWords);
  return {[=] {
            gradient_by_gather<<<blocks_for(kSmallWords, kThreads), kThreads>>>(
                small, reinterpret_cast<const float4*>(large));
          },
          [=] { return device_sum(small, kSmallWords); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, by_atomics, by_gather);
}
