// A step of a lattice Boltzmann flow with 19 directions, which each cell pulls from its neighbours; periodic.
// At fault: the 19 populations of a cell are contiguous, so that the lanes of a warp read words 76 bytes
// apart. The pattern is that of ProjectPhysX/FluidX3D, src/kernel.cpp: its index of populations, which names
// both layouts.
#include <utility>

#include "../case.cuh"

namespace {

constexpr int kX = 160, kY = 160, kZ = 128, kCells = kX * kY * kZ, kDirections = 19, kThreads = 128;
constexpr float kRate = 1.2F;

struct CellMajor {
  static __device__ std::size_t at(int cell, int q) {
    return static_cast<std::size_t>(cell) * kDirections + q;
  }
};
struct DirectionMajor {
  static __device__ std::size_t at(int cell, int q) { return static_cast<std::size_t>(q) * kCells + cell; }
};

// The step of direction q along an axis: 0 is rest, 1 to 6 the faces, 7 to 18 the edges.
__host__ __device__ constexpr int step_of(int q, int axis) {
  if (q == 0) return 0;
  const int sign = q % 2 == 1 ? 1 : -1;
  if (q <= 6) return (q - 1) / 2 == axis ? sign : 0;
  const int pair = (q - 7) / 2, plane = pair / 2, first = plane == 2 ? 1 : 0, second = plane == 0 ? 1 : 2;
  if (axis == first) return sign;
  if (axis == second) return pair % 2 == 0 ? sign : -sign;
  return 0;
}

__host__ __device__ constexpr float weight_of(int q) {
  return q == 0 ? 1.0F / 3 : q <= 6 ? 1.0F / 18 : 1.0F / 36;
}

template <class Layout>
__device__ void pull(float (&f)[kDirections], const float* from, int x, int y, int z) {
#pragma unroll
  for (int q = 0; q < kDirections; ++q) {
    const int u = (x - step_of(q, 0) + kX) % kX, v = (y - step_of(q, 1) + kY) % kY;
    const int w = (z - step_of(q, 2) + kZ) % kZ;
    f[q] = from[Layout::at((w * kY + v) * kX + u, q)];  // fault
  }
}

template <class Layout>
__device__ void stream_and_collide(float* to, float* speed, const float* from) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cell >= kCells) return;
  float f[kDirections], density = 0, ux = 0, uy = 0, uz = 0;
  pull<Layout>(f, from, cell % kX, cell / kX % kY, cell / (kX * kY));
#pragma unroll
  for (int q = 0; q < kDirections; ++q) {
    density += f[q];
    ux += static_cast<float>(step_of(q, 0)) * f[q];
    uy += static_cast<float>(step_of(q, 1)) * f[q];
    uz += static_cast<float>(step_of(q, 2)) * f[q];
  }
  ux /= density, uy /= density, uz /= density;
  const float square = ux * ux + uy * uy + uz * uz;
#pragma unroll
  for (int q = 0; q < kDirections; ++q) {
    const float along = static_cast<float>(step_of(q, 0)) * ux + static_cast<float>(step_of(q, 1)) * uy +
                        static_cast<float>(step_of(q, 2)) * uz;
    const float rest = weight_of(q) * density * (1 + 3 * along + 4.5F * along * along - 1.5F * square);
    to[Layout::at(cell, q)] = f[q] + kRate * (rest - f[q]);  // fault
  }
  speed[cell] = square;
}

__global__ void __launch_bounds__(kThreads) stream_cell_major(float* to, float* speed, const float* from) {
  stream_and_collide<CellMajor>(to, speed, from);
}

__global__ void __launch_bounds__(kThreads)
    stream_direction_major(float* to, float* speed, const float* from) {
  stream_and_collide<DirectionMajor>(to, speed, from);
}

template <class Layout>
__global__ void fill_flow(float* f) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cell >= kCells) return;
  const float ux = 0.05F * sinpif(2 * static_cast<float>(cell / kX % kY) / kY);
  for (int q = 0; q < kDirections; ++q) {
    f[Layout::at(cell, q)] = weight_of(q) * (1 + 3 * static_cast<float>(step_of(q, 0)) * ux);
  }
}

Case make(bool cell_major) {
  constexpr std::size_t kWords = static_cast<std::size_t>(kCells) * kDirections;
  auto* from = device_array<float>(kWords);
  auto* to = device_array<float>(kWords);
  auto* speed = device_array<float>(kCells);
  (cell_major ? fill_flow<CellMajor> : fill_flow<DirectionMajor>)<<<blocks_for(kCells, 128), 128>>>(from);
  CHECK(cudaGetLastError());
  return {[=]() mutable {
            auto* kernel = cell_major ? stream_cell_major : stream_direction_major;
            kernel<<<blocks_for(kCells, kThreads), kThreads>>>(to, speed, from);
            std::swap(from, to);
          },
          [=] { return device_sum(speed, kCells); }, 600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
