// Straightens a picture of 8192 x 4096 values by a map of places, between which it interpolates.
// Nothing is wrong: the places of neighbours are neighbours, so what lanes fetch by the map comes from
// the same sectors. The pattern is that of opencv/opencv_contrib, modules/cudawarping/src/cuda/remap.cu.
#include "../case.cuh"

namespace {

constexpr int kAcross = 8192, kDown = 4096, kThreads = 256;
constexpr std::size_t kPixels = std::size_t{kAcross} * kDown;

// A lens that widens towards the edges, turned by a degree.
__global__ void fill_places(float2* places) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float x = static_cast<float>(i % kAcross) - 0.5F * kAcross;
  const float y = static_cast<float>(i / kAcross) - 0.5F * kDown;
  const float widened = 1 - 4e-9F * (x * x + y * y);
  places[i] = make_float2(0.5F * kAcross + widened * (0.99985F * x - 0.01745F * y),
                          0.5F * kDown + widened * (0.01745F * x + 0.99985F * y));
}

__device__ float value_at(const float* picture, int x, int y) {
  return picture[min(max(y, 0), kDown - 1) * kAcross + min(max(x, 0), kAcross - 1)];
}

__global__ void remap(float* out, const float* picture, const float2* places) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float2 place = places[i];
  const float left = floorf(place.x), top = floorf(place.y);
  const float right = place.x - left, below = place.y - top;
  const int x = static_cast<int>(left), y = static_cast<int>(top);
  const float upper = (1 - right) * value_at(picture, x, y) + right * value_at(picture, x + 1, y);
  const float lower = (1 - right) * value_at(picture, x, y + 1) + right * value_at(picture, x + 1, y + 1);
  out[i] = (1 - below) * upper + below * lower;
}

Case make() {
  auto* picture = device_array<float>(kPixels);
  auto* places = device_array<float2>(kPixels);
  auto* out = device_array<float>(kPixels);
  fill_fractions(picture, kPixels, 1);
  fill_places<<<static_cast<unsigned>(kPixels / kThreads), kThreads>>>(places);
  return {[=] { remap<<<static_cast<unsigned>(kPixels / kThreads), kThreads>>>(out, picture, places); },
          [=] { return device_sum(out, kPixels); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
