// Fuses the pictures of a depth camera into a grid of 512 x 512 x 512 signed distances, and finds the surface
// that the camera sees along 640 x 480 rays.
// At fault: the place of a voxel has its depth as the fastest axis, while lanes lie along x, so that lanes
// read and write 2 MB apart. The pattern is that of achsvg/MiroirFusion, issue 1: the grid indexed with x as
// the fastest axis, more than twice the frames a second.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kEdge = 512, kSlab = 64, kWide = 640, kHigh = 480, kPixels = kWide * kHigh;
constexpr int kPictures = 8, kRounds = 1200;
constexpr std::size_t kVoxels = std::size_t{kEdge} * kEdge * kEdge;
constexpr float kFocal = 525.0F, kVoxel = 1.0F / kEdge, kBand = 8 * kVoxel, kMostWeight = 64;

struct Camera {
  float x, y, z;  // looks along z, at the unit cube
};

struct DepthFirst {
  static __device__ std::size_t place(int x, int y, int z) {
    return (static_cast<std::size_t>(x) * kEdge + y) * kEdge + z;
  }
};

struct AcrossFirst {
  static __device__ std::size_t place(int x, int y, int z) {
    return (static_cast<std::size_t>(z) * kEdge + y) * kEdge + x;
  }
};

__global__ void draw_depths(float* depths) {
  const int pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pixel >= kPixels) return;
  const auto picture = static_cast<int>(blockIdx.y);
  const float u = (pixel % kWide - kWide / 2) / 160.0F, v = (pixel / kWide - kHigh / 2) / 160.0F;
  const float bump = 0.25F * __expf(-(u * u + v * v)), wave = 0.02F * __sinf(9 * u + 0.3F * picture);
  const auto seed = static_cast<unsigned>(pixel + picture * kPixels);
  depths[picture * kPixels + pixel] = 1.15F - bump + wave + 0.002F * mixed_fraction(seed);
}

// The mean of a voxel takes one more distance.
__device__ float2 averaged(float2 voxel, float distance) {
  const float mean = (voxel.x * voxel.y + distance) / (voxel.y + 1);
  return make_float2(mean, fminf(voxel.y + 1, kMostWeight));
}

// A thread goes through a slab's voxels at one x and y.
template <class Layout>
__global__ void integrate(float2* grid, const float* __restrict__ depths, Camera camera) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const float right = (x + 0.5F) * kVoxel - camera.x, down = (y + 0.5F) * kVoxel - camera.y;
  const int first = static_cast<int>(blockIdx.z) * kSlab;
#pragma unroll 2
  for (int z = first; z < first + kSlab; ++z) {
    const float away = (z + 0.5F) * kVoxel - camera.z, scale = kFocal / away;
    const int u = static_cast<int>(floorf(kWide / 2 + right * scale + 0.5F));
    const int v = static_cast<int>(floorf(kHigh / 2 + down * scale + 0.5F));
    if (u < 0 || u >= kWide || v < 0 || v >= kHigh) continue;
    const float distance = depths[v * kWide + u] - away;
    if (distance < -kBand) continue;
    const std::size_t place = Layout::place(x, y, z);
    const float2 voxel = grid[place];                              // fault
    grid[place] = averaged(voxel, fminf(1.0F, distance / kBand));  // fault
  }
}

// A ray goes from slice to slice, until the distance changes its sign.
template <class Layout>
__global__ void cast_rays(float* seen, const float2* __restrict__ grid, Camera camera) {
  const int u = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int v = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const float right = (u - kWide / 2) / kFocal, down = (v - kHigh / 2) / kFocal;
  float before = 0, found = 0;
  for (int z = 0; z < kEdge; ++z) {
    const float away = (z + 0.5F) * kVoxel - camera.z;
    const int x = static_cast<int>(floorf((camera.x + right * away) * kEdge));
    const int y = static_cast<int>(floorf((camera.y + down * away) * kEdge));
    if (x < 0 || x >= kEdge || y < 0 || y >= kEdge) continue;
    const float2 voxel = grid[Layout::place(x, y, z)];  // fault
    if (voxel.y == 0) continue;
    if (before > 0 && voxel.x <= 0) {
      found = away - kVoxel * voxel.x / (voxel.x - before - 1e-6F);
      break;
    }
    before = voxel.x;
  }
  seen[v * kWide + u] = found;
}

Camera camera_of(int frame) {
  const float turn = 0.05F * static_cast<float>(frame);
  return {0.5F + 0.05F * std::sin(turn), 0.5F + 0.03F * std::cos(turn), -0.6F};
}

template <class Layout>
Case make() {
  auto* grid = device_array<float2>(kVoxels);
  auto* depths = device_array<float>(std::size_t{kPictures} * kPixels);
  auto* seen = device_array<float>(kPixels);
  CHECK(cudaMemset(grid, 0, kVoxels * sizeof(float2)));
  draw_depths<<<dim3(blocks_for(kPixels, 256), kPictures), 256>>>(depths);
  CHECK(cudaGetLastError());
  auto frame = std::make_shared<int>(0);
  return {[=] {
            const Camera camera = camera_of(*frame);
            const float* picture = depths + *frame % kPictures * kPixels;
            const dim3 threads(32, 8);
            integrate<Layout><<<dim3(kEdge / 32, kEdge / 8, kEdge / kSlab), threads>>>(grid, picture, camera);
            cast_rays<Layout><<<dim3(kWide / 32, kHigh / 8), threads>>>(seen, grid, camera);
            ++*frame;
          },
          [=] { return device_sum(seen, kPixels); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<DepthFirst>, make<AcrossFirst>);
}
