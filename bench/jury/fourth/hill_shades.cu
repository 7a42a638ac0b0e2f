// The shade of each of 16,384 x 16,384 places of a map of heights, from the slope over its eight
// neighbours.
// Nothing is wrong: a place a thread, whose neighbours the cache holds. After makepath/xarray-spatial,
// xrspatial/hillshade.py.
#include "../case.cuh"

namespace {

constexpr int kSize = 16384, kWide = 64, kHigh = 4;
constexpr std::size_t kPlaces = std::size_t{kSize} * kSize;

__global__ void shade(float* shades, const float* heights) {
  const int column = static_cast<int>(blockIdx.x * kWide + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * kHigh + threadIdx.y);
  if (column == 0 || column == kSize - 1 || row == 0 || row == kSize - 1) return;
  const std::size_t at = static_cast<std::size_t>(row) * kSize + column;
  const float *above = heights + at - kSize, *own = heights + at, *below = heights + at + kSize;
  const float east = (above[1] + 2 * own[1] + below[1] - above[-1] - 2 * own[-1] - below[-1]) * 0.125F;
  const float south = (below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1]) * 0.125F;
  const float light = (0.7F - 0.5F * east - 0.5F * south) * rsqrtf(1 + east * east + south * south);
  shades[at] = fmaxf(light, 0);
}

Case make() {
  auto* heights = device_array<float>(kPlaces);
  auto* shades = device_array<float>(kPlaces);
  fill_fractions(heights, kPlaces, 1);
  CHECK(cudaMemset(shades, 0, kPlaces * sizeof(float)));
  return {[=] { shade<<<dim3(kSize / kWide, kSize / kHigh), dim3(kWide, kHigh)>>>(shades, heights); },
          [=] { return device_sum(shades, kPlaces / 8); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
