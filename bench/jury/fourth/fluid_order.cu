// The density of a fluid of 1 million particles: sorts them by cells, then sums over the particles of 27
// cells.
// At fault: only the particles' numbers are sorted, so that each neighbour is read from anywhere. The
// pattern is that of Victor2266/The-Fluid-Toy, issue 33: the particles themselves are brought into order.
#include <cub/device/device_radix_sort.cuh>

#include "../case.cuh"

namespace {

constexpr int kParticles = 1 << 20, kEdge = 64, kCells = kEdge * kEdge * kEdge, kCellBits = 18,
              kThreads = 256;

__device__ int own_index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ int3 cell_of(float4 at) {
  return {static_cast<int>(at.x * kEdge), static_cast<int>(at.y * kEdge), static_cast<int>(at.z * kEdge)};
}

__global__ void find_cells(int* cells, int* numbers, const float4* places) {
  const int i = own_index();
  const int3 cell = cell_of(places[i]);
  cells[i] = (cell.z * kEdge + cell.y) * kEdge + cell.x;
  numbers[i] = i;
}

// starts[c] is the first particle, in order, whose cell is c or more.
__global__ void find_starts(int* starts, const int* cells) {
  const int i = own_index(), before = i > 0 ? cells[i - 1] : -1, own = cells[i];
  for (int cell = before + 1; cell <= own; ++cell) starts[cell] = i;
  if (i == kParticles - 1)
    for (int cell = own + 1; cell <= kCells; ++cell) starts[cell] = kParticles;
}

__global__ void order_places(float4* ordered, const float4* places, const int* numbers) {
  const int i = own_index();
  ordered[i] = places[numbers[i]];
}

__device__ float share(float4 a, float4 b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  const float near = 1 - (x * x + y * y + z * z) * (kEdge * kEdge);
  return near > 0 ? near * near * near : 0;
}

// Calls back with the bounds of each row of three cells around the place.
template <class Function>
__device__ void for_each_row(float4 at, const int* starts, Function function) {
  const int3 cell = cell_of(at);
  const int left = max(cell.x - 1, 0), right = min(cell.x + 1, kEdge - 1);
  for (int z = max(cell.z - 1, 0); z <= min(cell.z + 1, kEdge - 1); ++z) {
    for (int y = max(cell.y - 1, 0); y <= min(cell.y + 1, kEdge - 1); ++y) {
      const int row = (z * kEdge + y) * kEdge;
      function(starts[row + left], starts[row + right + 1]);  // fault
    }
  }
}

__global__ void density_by_number(float* densities, const float4* places, const int* numbers,
                                  const int* starts) {
  const int i = own_index();
  const float4 own = places[i];
  float sum = 0;
  for_each_row(own, starts, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) sum += share(own, places[numbers[k]]);  // fault
  });
  densities[i] = sum;
}

__global__ void density_in_order(float* densities, const float4* ordered, const int* numbers,
                                 const int* starts) {
  const int i = own_index();
  const float4 own = ordered[i];
  float sum = 0;
  for_each_row(own, starts, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) sum += share(own, ordered[k]);
  });
  densities[numbers[i]] = sum;
}

Case make(bool by_number) {
  auto* places = device_array<float4>(kParticles);
  auto* ordered = device_array<float4>(kParticles);
  auto* densities = device_array<float>(kParticles);
  auto* starts = device_array<int>(kCells + 1);
  auto* cells = device_array<int>(2 * kParticles);
  auto* numbers = device_array<int>(2 * kParticles);
  fill_fractions(reinterpret_cast<float*>(places), std::size_t{4} * kParticles, 1);
  int *sorted_cells = cells + kParticles, *sorted = numbers + kParticles;
  std::size_t bytes = 0;
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, cells, sorted_cells, numbers, sorted, kParticles, 0,
                                        kCellBits));
  auto* storage = device_array<unsigned char>(bytes);
  return {[=] {
            constexpr int kBlocks = kParticles / kThreads;
            find_cells<<<kBlocks, kThreads>>>(cells, numbers, places);
            std::size_t given = bytes;
            CHECK(cub::DeviceRadixSort::SortPairs(storage, given, cells, sorted_cells, numbers, sorted,
                                                  kParticles, 0, kCellBits));
            find_starts<<<kBlocks, kThreads>>>(starts, sorted_cells);
            if (by_number) {
              density_by_number<<<kBlocks, kThreads>>>(densities, places, sorted, starts);
            } else {
              order_places<<<kBlocks, kThreads>>>(ordered, places, sorted);
              density_in_order<<<kBlocks, kThreads>>>(densities, ordered, sorted, starts);
            }
          },
          [=] { return device_sum(densities, kParticles); }, 400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
