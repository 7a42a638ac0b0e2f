// Potentials at 16,777,216 galaxies, from a grid of 256 x 256 x 256 cells in a box that repeats itself. In
// each round the grid is smoothed a little, and each galaxy adds what its 27 nearest cells give it.
// At fault: the galaxies lie in no order, so the lanes of a warp fetch cells far apart. The pattern is that
// of jipolanco/NonuniformFFTs.jl, pull request 30: the points are sorted by place before the grid is
// interpolated at them.
#include <cub/device/device_radix_sort.cuh>
#include <memory>
#include <utility>

#include "../case.cuh"

namespace {

constexpr int kSide = 256, kCells = kSide * kSide * kSide, kGalaxies = 1 << 24, kThreads = 256;
constexpr int kBlocks = kGalaxies / kThreads, kCellBits = 24, kRounds = 1000;

// In cells; the last member is how much the galaxy counts.
using Galaxy = float4;

struct Grid {
  float *now, *next;
};

// The nearest cell and its two neighbours along an axis.
struct Axis {
  int cells[3];
  float weights[3];
};

// In a ring.
__device__ int wrapped(int place) {
  return place & (kSide - 1);
}

__device__ Axis axis_at(float place) {
  const int nearest = static_cast<int>(floorf(place + 0.5F));
  const float off = place - static_cast<float>(nearest);
  return {{wrapped(nearest - 1), wrapped(nearest), wrapped(nearest + 1)},
          {0.5F * (0.5F - off) * (0.5F - off), 0.75F - off * off, 0.5F * (0.5F + off) * (0.5F + off)}};
}

__global__ void __launch_bounds__(kThreads)
    add_potentials(float* potentials, const Galaxy* __restrict__ galaxies, const float* __restrict__ grid) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Galaxy galaxy = galaxies[i];
  const Axis x = axis_at(galaxy.x), y = axis_at(galaxy.y), z = axis_at(galaxy.z);
  float sum = 0;
#pragma unroll
  for (int layer = 0; layer < 3; ++layer) {
#pragma unroll
    for (int row = 0; row < 3; ++row) {
      const float* cells = grid + (z.cells[layer] * kSide + y.cells[row]) * kSide;
      const float left = x.weights[0] * cells[x.cells[0]];   // fault
      const float own = x.weights[1] * cells[x.cells[1]];    // fault
      const float right = x.weights[2] * cells[x.cells[2]];  // fault
      sum += z.weights[layer] * y.weights[row] * (left + own + right);
    }
  }
  potentials[i] += galaxy.w * sum;
}

// A block has a row of cells.
__global__ void __launch_bounds__(kSide) smooth(float* __restrict__ next, const float* __restrict__ now) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
            z = static_cast<int>(blockIdx.y);
  const auto at = [=](int column, int row, int layer) {
    return now[(wrapped(layer) * kSide + wrapped(row)) * kSide + wrapped(column)];
  };
  const float around = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) +
                       at(x, y, z - 1) + at(x, y, z + 1);
  next[(z * kSide + y) * kSide + x] = 0.97F * at(x, y, z) + 0.005F * around;
}

// In the order of the catalogue: none. A third of the galaxies is in clusters.
__global__ void __launch_bounds__(kThreads) make_galaxies(Galaxy* galaxies) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, cluster = mixed_bits(i + 5) % 1024 * 3;
  const auto place = [=](unsigned axis) {
    const float drawn = mixed_fraction(4 * i + axis);
    const float close = kSide * mixed_fraction(900 + cluster + axis) + 12 * drawn;
    return i % 3 == 0 ? fmodf(close, kSide) : fminf(kSide * drawn, kSide - 0.01F);
  };
  galaxies[i] = make_float4(place(0), place(1), place(2), 0.5F + mixed_fraction(4 * i + 3));
}

__global__ void __launch_bounds__(kThreads)
    find_cells(unsigned* cells, unsigned* numbers, const Galaxy* __restrict__ galaxies) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const Galaxy galaxy = galaxies[i];
  const auto cell = [](float place) { return static_cast<unsigned>(place) % kSide; };
  cells[i] = (cell(galaxy.z) * kSide + cell(galaxy.y)) * kSide + cell(galaxy.x);
  numbers[i] = i;
}

__global__ void __launch_bounds__(kThreads)
    bring_galaxies(Galaxy* __restrict__ out, const Galaxy* __restrict__ in,
                   const unsigned* __restrict__ numbers) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  out[i] = in[numbers[i]];
}

Galaxy* made_galaxies() {
  auto* galaxies = device_array<Galaxy>(kGalaxies);
  make_galaxies<<<kBlocks, kThreads>>>(galaxies);
  CHECK(cudaGetLastError());
  return galaxies;
}

// Once, as galaxies keep their places.
Galaxy* sorted_by_cell(Galaxy* galaxies) {
  auto *cells = device_array<unsigned>(kGalaxies), *sorted_cells = device_array<unsigned>(kGalaxies);
  auto *numbers = device_array<unsigned>(kGalaxies), *sorted_numbers = device_array<unsigned>(kGalaxies);
  find_cells<<<kBlocks, kThreads>>>(cells, numbers, galaxies);
  void* scratch = nullptr;
  std::size_t bytes = 0;
  const auto sort = [&] {
    CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, cells, sorted_cells, numbers, sorted_numbers,
                                          kGalaxies, 0, kCellBits));
  };
  sort();
  CHECK(cudaMalloc(&scratch, bytes));
  sort();
  auto* sorted = device_array<Galaxy>(kGalaxies);
  bring_galaxies<<<kBlocks, kThreads>>>(sorted, galaxies, sorted_numbers);
  CHECK(cudaDeviceSynchronize());
  for (void* used : {static_cast<void*>(cells), static_cast<void*>(sorted_cells), static_cast<void*>(numbers),
                     static_cast<void*>(sorted_numbers), static_cast<void*>(galaxies), scratch})
    CHECK(cudaFree(used));
  return sorted;
}

Case make(bool sorted) {
  auto* galaxies = made_galaxies();
  if (sorted) galaxies = sorted_by_cell(galaxies);
  auto* potentials = device_array<float>(kGalaxies);
  CHECK(cudaMemset(potentials, 0, kGalaxies * sizeof(float)));
  const auto grid = std::make_shared<Grid>(Grid{device_array<float>(kCells), device_array<float>(kCells)});
  fill_fractions(grid->now, kCells, 17);
  return {[=] {
            smooth<<<dim3(kSide, kSide), kSide>>>(grid->next, grid->now);
            std::swap(grid->now, grid->next);
            add_potentials<<<kBlocks, kThreads>>>(potentials, galaxies, grid->now);
          },
          [=] { return device_sum(potentials, kGalaxies); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
