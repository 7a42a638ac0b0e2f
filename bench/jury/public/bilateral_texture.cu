// Smooths an image of 4096 x 4096, and keeps its edges: each pixel gets a weighted mean of 49.
// Nothing is wrong: the pixels come through a texture, whose accesses lie side by side, and the exponentials
// take the time. The pattern is that of opencv/opencv_contrib,
// modules/cudaimgproc/src/cuda/bilateral_filter.cu.
#include "../case.cuh"

namespace {

constexpr int kSide = 4096, kReach = 3;

__global__ void smooth(float* out, cudaTextureObject_t image, float near, float alike) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= kSide || y >= kSide) return;
  const float centre = tex2D<float>(image, static_cast<float>(x), static_cast<float>(y));
  float sum = 0, weights = 0;
  for (int dy = -kReach; dy <= kReach; ++dy) {
    for (int dx = -kReach; dx <= kReach; ++dx) {
      const float pixel = tex2D<float>(image, static_cast<float>(x + dx), static_cast<float>(y + dy));
      const float difference = pixel - centre;
      const float weight =
          __expf(near * static_cast<float>(dx * dx + dy * dy) + alike * difference * difference);
      sum += weight * pixel, weights += weight;
    }
  }
  out[y * kSide + x] = sum / weights;
}

cudaTextureObject_t texture_of(float* pixels, std::size_t pitch) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pixels;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = kSide, resource.res.pitch2D.height = kSide;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModePoint;
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

Case make() {
  constexpr std::size_t kPixels = std::size_t{kSide} * kSide;
  auto* pixels = device_array<float>(kPixels);
  auto* out = device_array<float>(kPixels);
  fill_fractions(pixels, kPixels, 1);
  const cudaTextureObject_t image = texture_of(pixels, kSide * sizeof(float));
  return {[=] {
            constexpr dim3 kBlock(32, 8);
            smooth<<<dim3(kSide / 32, kSide / 8), kBlock>>>(out, image, -0.1F, -20.0F);
          },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
