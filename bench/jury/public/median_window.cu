// The median of the 25 pixels around each pixel of an image of 2048 x 2048.
// At fault: the pixels are sorted in an array that is indexed at run time, which therefore lies in local
// memory. The pattern is that of cupy/cupy, cupyx/scipy/ndimage, where pull request 3813 speaks of sorting
// networks for small windows.
#include "../case.cuh"

namespace {

constexpr int kSide = 2048, kReach = 2, kWindow = 25, kMiddle = 12, kThreads = 256;

__device__ int clamped(int at) {
  return min(max(at, 0), kSide - 1);
}

__global__ void median_by_selection(float* medians, const float* image, int window) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  float pixels[kWindow];
  int count = 0;
  for (int dy = -kReach; dy <= kReach; ++dy) {
    for (int dx = -kReach; dx <= kReach; ++dx) {
      pixels[count++] = image[clamped(y + dy) * kSide + clamped(x + dx)];  // fault
    }
  }
  for (int i = 0; i <= window / 2; ++i) {
    int smallest = i;
    for (int j = i + 1; j < window; ++j) {
      if (pixels[j] < pixels[smallest]) smallest = j;  // fault
    }
    const float other = pixels[i];  // fault
    pixels[i] = pixels[smallest];   // fault
    pixels[smallest] = other;       // fault
  }
  medians[y * kSide + x] = pixels[window / 2];  // fault
}

// Every place is known to the compiler, so that the pixels stay in registers.
__global__ void median_by_network(float* medians, const float* image) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  float pixels[kWindow];
#pragma unroll
  for (int i = 0; i < kWindow; ++i) {
    pixels[i] = image[clamped(y + i / 5 - kReach) * kSide + clamped(x + i % 5 - kReach)];
  }
#pragma unroll
  for (int i = 0; i <= kMiddle; ++i) {
#pragma unroll
    for (int j = i + 1; j < kWindow; ++j) {
      const float smaller = fminf(pixels[i], pixels[j]);
      pixels[j] = fmaxf(pixels[i], pixels[j]);
      pixels[i] = smaller;
    }
  }
  medians[y * kSide + x] = pixels[kMiddle];
}

Case make(bool by_selection) {
  constexpr std::size_t kPixels = std::size_t{kSide} * kSide;
  auto* image = device_array<float>(kPixels);
  auto* medians = device_array<float>(kPixels);
  fill_fractions(image, kPixels, 1);
  return {[=] {
            constexpr dim3 kGrid(kSide / kThreads, kSide);
            if (by_selection) {
              median_by_selection<<<kGrid, kThreads>>>(medians, image, kWindow);
            } else {
              median_by_network<<<kGrid, kThreads>>>(medians, image);
            }
          },
          [=] { return device_sum(medians, kPixels); }, 400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
