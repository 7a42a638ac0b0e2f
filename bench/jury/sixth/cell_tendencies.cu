// Tendencies of a million cells of a weather model in 20 levels, each the weighted sum of nine cells
// nearby.
// At fault: the numbers of the nine cells lie side by side for each cell, so the lanes read them 36 bytes
// apart, though the weights lie place by place. The pattern is that of MeteoSwiss-APN/dawn, pull request
// 1154, which stores the table place by place too.
#include "../case.cuh"

namespace {

constexpr int kSide = 1024, kCells = kSide * kSide, kNear = 9, kLevels = 20, kTogether = 5, kThreads = 128;
constexpr std::size_t kValues = std::size_t{kLevels} * kCells;

// The cell itself and the eight around it; the field has no edges.
__device__ int near_cell(int cell, int place) {
  const int x = cell % kSide + place % 3 - 1, y = cell / kSide + place / 3 - 1;
  return (y & (kSide - 1)) * kSide + (x & (kSide - 1));
}

__global__ void fill_table(int* table, bool by_cell) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int place = 0; place < kNear; ++place)
    table[by_cell ? cell * kNear + place : place * kCells + cell] = near_cell(cell, place);
}

// A thread takes five levels of a cell; the levels of the same cells are in neighbouring blocks.
__global__ void tendencies_cell_by_cell(float* out, const float* field, const float* weights,
                                        const int* table) {
  const int cell = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * kTogether;
  for (int level = first; level < first + kTogether; ++level) {
    float sum = 0;
#pragma unroll
    for (int place = 0; place < kNear; ++place)
      sum += weights[place * kCells + cell] * field[level * kCells + table[cell * kNear + place]];  // fault
    out[level * kCells + cell] = sum;
  }
}

__global__ void tendencies_place_by_place(float* out, const float* field, const float* weights,
                                          const int* table) {
  const int cell = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * kTogether;
  for (int level = first; level < first + kTogether; ++level) {
    float sum = 0;
#pragma unroll
    for (int place = 0; place < kNear; ++place)
      sum += weights[place * kCells + cell] * field[level * kCells + table[place * kCells + cell]];
    out[level * kCells + cell] = sum;
  }
}

Case make(bool by_cell) {
  auto* field = device_array<float>(kValues);
  auto* out = device_array<float>(kValues);
  auto* weights = device_array<float>(std::size_t{kNear} * kCells);
  auto* table = device_array<int>(std::size_t{kNear} * kCells);
  fill_fractions(field, kValues, 1);
  fill_fractions(weights, std::size_t{kNear} * kCells, 2);
  fill_table<<<kCells / kThreads, kThreads>>>(table, by_cell);
  return {[=] {
            const dim3 blocks(kLevels / kTogether, kCells / kThreads);
            if (by_cell) {
              tendencies_cell_by_cell<<<blocks, kThreads>>>(out, field, weights, table);
            } else {
              tendencies_place_by_place<<<blocks, kThreads>>>(out, field, weights, table);
            }
          },
          [=] { return device_sum(out, kValues); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
