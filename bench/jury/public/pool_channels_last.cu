// The maximum of each window of 3 x 3 pixels, two apart, of 32 images with 64 channels that lie side by side.
// At fault: neighbouring threads take neighbouring pixels, so that the lanes of a warp read 512 bytes apart
// and write 256 bytes apart. The pattern is that of pytorch/pytorch, whose pull request 24872 gives
// max_pool2d threads along the channels.
#include <cfloat>

#include "../case.cuh"

namespace {

constexpr int kImages = 32, kChannels = 64, kSide = 112, kPooled = 56, kThreads = 256;
constexpr int kInputs = kImages * kSide * kSide * kChannels,
              kOutputs = kImages * kPooled * kPooled * kChannels;

__device__ int clamped(int at) {
  return min(max(at, 0), kSide - 1);
}

__global__ void pool_along_pixels(float* pooled, const float* images) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (thread >= kOutputs) return;
  const int x = thread % kPooled, y = thread / kPooled % kPooled;
  const int channel = thread / (kPooled * kPooled) % kChannels,
            image = thread / (kPooled * kPooled * kChannels);
  float largest = -FLT_MAX;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int row = image * kSide + clamped(2 * y + dy);
      largest = fmaxf(largest, images[(row * kSide + clamped(2 * x + dx)) * kChannels + channel]);  // fault
    }
  }
  pooled[((image * kPooled + y) * kPooled + x) * kChannels + channel] = largest;  // fault
}

__global__ void pool_along_channels(float* pooled, const float* images) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (thread >= kOutputs) return;
  const int channel = thread % kChannels, x = thread / kChannels % kPooled;
  const int y = thread / (kChannels * kPooled) % kPooled, image = thread / (kChannels * kPooled * kPooled);
  float largest = -FLT_MAX;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int row = image * kSide + clamped(2 * y + dy);
      largest = fmaxf(largest, images[(row * kSide + clamped(2 * x + dx)) * kChannels + channel]);
    }
  }
  pooled[thread] = largest;
}

Case make(bool along_pixels) {
  auto* images = device_array<float>(kInputs);
  auto* pooled = device_array<float>(kOutputs);
  fill_fractions(images, kInputs, 1);
  return {[=] {
            auto* kernel = along_pixels ? pool_along_pixels : pool_along_channels;
            kernel<<<blocks_for(kOutputs, kThreads), kThreads>>>(pooled, images);
          },
          [=] { return device_sum(pooled, std::size_t{1} << 22); }, 2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
