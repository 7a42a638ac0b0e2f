// Solves Poisson's equation by V-cycles over nine grids, each a quarter of the one above.
// Planted: `interpolate` walks its columns (G01); the other kernels are clean.
#include "steady.cuh"

namespace {

constexpr int kFinest = 4096;
constexpr int kLevels = 9;
constexpr int kSweeps = 2;
// Four points get the same correction, which overshoots: with all of it the cycles diverge.
constexpr float kCorrection = 0.8F;

struct Grid {
  int side = 0;
  float *u = nullptr, *f = nullptr, *next = nullptr;
};

__device__ float at(const float* u, int side, int row, int column) {
  return row < 0 || column < 0 || row >= side || column >= side ? 0.0F : u[row * side + column];
}

__device__ float around(const float* u, int side, int row, int column) {
  return at(u, side, row - 1, column) + at(u, side, row + 1, column) + at(u, side, row, column - 1) +
         at(u, side, row, column + 1);
}

__global__ void smooth(const float* u, const float* f, float* next, int side) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row >= side || column >= side) return;
  const int i = row * side + column;
  next[i] = 0.2F * u[i] + 0.2F * (around(u, side, row, column) + f[i]);
}

// The residual of four fine points, added up, is the right side of the coarse grid.
__global__ void restrict_residual(const float* u, const float* f, float* coarse, int side) {
  const int half = side / 2;
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row >= half || column >= half) return;
  float sum = 0;
  for (int y = 2 * row; y < 2 * row + 2; ++y)
    for (int x = 2 * column; x < 2 * column + 2; ++x)
      sum += f[y * side + x] - 4 * u[y * side + x] + around(u, side, y, x);
  coarse[row * half + column] = sum;
}

__global__ void interpolate(const float* coarse, float* u, int side) {
  const int row =
      static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);  // planted: lanes differ in the row
  const int column = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row < side && column < side)
    u[row * side + column] += kCorrection * coarse[(row / 2) * (side / 2) + column / 2];
}

dim3 grid_over(int side) {
  return dim3(blocks_for(side, 32), blocks_for(side, 8));
}

void smooth_grid(Grid& grid) {
  for (int i = 0; i < kSweeps; ++i) {
    smooth<<<grid_over(grid.side), dim3(32, 8)>>>(grid.u, grid.f, grid.next, grid.side);
    std::swap(grid.u, grid.next);
  }
}

void cycle(std::vector<Grid>& grids) {
  for (int level = 0; level + 1 < kLevels; ++level) {
    Grid &fine = grids[level], &coarse = grids[level + 1];
    smooth_grid(fine);
    restrict_residual<<<grid_over(coarse.side), dim3(32, 8)>>>(fine.u, fine.f, coarse.f, fine.side);
    CHECK(cudaMemsetAsync(coarse.u, 0, sizeof(float) * coarse.side * coarse.side));
  }
  for (int level = kLevels - 1; level > 0; --level) {
    smooth_grid(grids[level]);
    Grid& fine = grids[level - 1];
    interpolate<<<grid_over(fine.side), dim3(32, 8)>>>(grids[level].u, fine.u, fine.side);
  }
  smooth_grid(grids[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const long cycles = count_from(argc, argv, 2000);
  std::vector<Grid> grids(kLevels);
  for (int level = 0; level < kLevels; ++level) {
    Grid& grid = grids[level];
    grid.side = kFinest >> level;
    const std::size_t bytes = sizeof(float) * grid.side * grid.side;
    for (float** each : {&grid.u, &grid.f, &grid.next}) {
      CHECK(cudaMalloc(each, bytes));
      CHECK(cudaMemset(*each, 0, bytes));
    }
  }
  std::vector<float> right(static_cast<std::size_t>(kFinest) * kFinest);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = static_cast<float>((i * 37) % 101) * 1e-6F;
  CHECK(cudaMemcpy(grids[0].f, right.data(), right.size() * sizeof(float), cudaMemcpyHostToDevice));
  steady(cycles, [&] { cycle(grids); });
  print_sum("sum", grids[0].u, right.size());
  return 0;
}
