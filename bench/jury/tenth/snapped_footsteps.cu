// Looks where a walking robot may set its foot: for each cell of a map of 256 x 256 heights and each of 16
// headings, a plane through the 153 heights beneath the foot tells how even the ground is.
// At fault: blocks of 32 x 32 cells are only 64 for 132 multiprocessors. The pattern is that of
// ihmcrobotics/ihmc-open-robotics-software, pull request 935: blocks of 16 x 16 cells, for the sake of more
// multiprocessors.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 256, kCells = kSide * kSide, kHeadings = 16, kLong = 17, kBroad = 9,
              kFoot = kLong * kBroad;
constexpr int kThreads = 256, kMaps = 16, kRounds = 1000;

// Where the heights beneath a foot are, from the cell below its middle.
struct Feet {
  char2 cells[kHeadings][kFoot];
};

__constant__ Feet feet;

// What a plane is found from.
struct Moments {
  float z, zz, x, y, xx, yy, xy, xz, yz;
};

// The ground moves on below the robot.
__global__ void __launch_bounds__(kThreads) scan_ground(float* heights, float time) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<float>(i % kSide), y = static_cast<float>(i / kSide);
  const float waves = 2 * __sinf(0.05F * x + time) + __sinf(0.11F * y - 0.5F * time);
  heights[i] = waves + 0.2F * mixed_fraction(static_cast<unsigned>(i));
}

__device__ Moments moments_at(const float* __restrict__ heights, int x, int y, int heading) {
  Moments sums{};
#pragma unroll 9
  for (int i = 0; i < kFoot; ++i) {
    const char2 cell = feet.cells[heading][i];
    const int column = min(max(x + cell.x, 0), kSide - 1), row = min(max(y + cell.y, 0), kSide - 1);
    const float z = heights[row * kSide + column];
    const auto across = static_cast<float>(cell.x), down = static_cast<float>(cell.y);
    sums.z += z;
    sums.zz += z * z;
    sums.x += across;
    sums.y += down;
    sums.xx += across * across;
    sums.yy += down * down;
    sums.xy += across * down;
    sums.xz += across * z;
    sums.yz += down * z;
  }
  return sums;
}

// Mean square of the distances from the best plane.
__device__ float roughness(const Moments& sums) {
  const float each = 1.0F / kFoot, x = sums.x * each, y = sums.y * each, z = sums.z * each;
  const float xx = sums.xx * each - x * x, yy = sums.yy * each - y * y, xy = sums.xy * each - x * y;
  const float xz = sums.xz * each - x * z, yz = sums.yz * each - y * z, zz = sums.zz * each - z * z;
  const float scale = 1 / (xx * yy - xy * xy);
  const float along = (xz * yy - yz * xy) * scale, aside = (yz * xx - xz * xy) * scale;
  return zz - along * xz - aside * yz;
}

// The best heading and how rough the ground is; `worst` remembers the maps before.
template <int kBlock>
__global__ void __launch_bounds__(kBlock* kBlock)
    snap_feet(float2* steps, float* worst, const float* __restrict__ heights) {
  const int x = static_cast<int>(blockIdx.x) * kBlock + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kBlock + static_cast<int>(threadIdx.y);
  float2 best = make_float2(0, 1e30F);
  for (int heading = 0; heading < kHeadings; ++heading) {
    const float rough = roughness(moments_at(heights, x, y, heading));
    if (rough < best.y) best = make_float2(static_cast<float>(heading), rough);
  }
  steps[y * kSide + x] = best;
  worst[y * kSide + x] = 0.9F * worst[y * kSide + x] + best.y;
}

void choose_feet() {
  auto chosen = std::make_unique<Feet>();
  for (int heading = 0; heading < kHeadings; ++heading) {
    const float angle = 3.141593F * static_cast<float>(heading) / kHeadings;
    for (int i = 0; i < kFoot; ++i) {
      const auto along = static_cast<float>(i % kLong - kLong / 2),
                 aside = static_cast<float>(i / kLong - kBroad / 2);
      const float x = along * std::cos(angle) - aside * std::sin(angle);
      const float y = along * std::sin(angle) + aside * std::cos(angle);
      chosen->cells[heading][i] =
          make_char2(static_cast<signed char>(std::lround(x)), static_cast<signed char>(std::lround(y)));
    }
  }
  CHECK(cudaMemcpyToSymbol(feet, chosen.get(), sizeof(Feet)));
}

template <int kBlock>
void snap(float2* steps, float* worst, const float* heights) {
  snap_feet<kBlock><<<dim3(kSide / kBlock, kSide / kBlock), dim3(kBlock, kBlock)>>>(steps, worst, heights);
}

Case make(bool few_blocks) {
  choose_feet();
  auto* heights = device_array<float>(kCells);
  auto* steps = device_array<float2>(kCells);
  auto* worst = device_array<float>(kCells);
  CHECK(cudaMemset(worst, 0, kCells * sizeof(float)));
  auto time = std::make_shared<float>(0.0F);
  return {[=] {
            for (int map = 0; map < kMaps; ++map) {
              *time += 0.01F;
              scan_ground<<<kCells / kThreads, kThreads>>>(heights, *time);
              if (few_blocks) {
                snap<32>(steps, worst, heights);  // fault
              } else {
                snap<16>(steps, worst, heights);
              }
            }
          },
          [=] { return device_sum(worst, kCells); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
