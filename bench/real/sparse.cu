// Products of a sparse matrix in CSR and a vector, as an iteration.
// Planted: `row_a_thread` reads each row by one thread (G01). `row_a_warp` does the same by a warp and is
// clean but for the gather from the vector.
#include "steady.cuh"

namespace {

constexpr int kRows = 1 << 18;
constexpr int kEach = 64;

__global__ void row_a_thread(const int* columns, const float* values, const float* x, float* y) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= kRows) return;
  float sum = 0;
  for (int i = row * kEach; i < (row + 1) * kEach; ++i) sum += values[i] * x[columns[i]];  // planted
  y[row] = sum;
}

__global__ void row_a_warp(const int* columns, const float* values, const float* x, float* y) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (row >= kRows) return;
  float sum = 0;
  for (int i = row * kEach + lane; i < (row + 1) * kEach; i += 32) sum += values[i] * x[columns[i]];
  for (int other = 16; other > 0; other /= 2) sum += __shfl_down_sync(0xffffffffU, sum, other);
  if (lane == 0) y[row] = sum;
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = count_from(argc, argv, 20000);
  const std::size_t count = static_cast<std::size_t>(kRows) * kEach;
  std::vector<int> columns(count);
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i / kEach;
    columns[i] = static_cast<int>((row + (i * 7919) % 4096) % kRows);
    values[i] = 1.0F / kEach;
  }
  const int* device_columns = on_device(columns);
  const float* device_values = on_device(values);
  float* x = on_device(std::vector<float>(kRows, 1.0F));
  float* y = on_device(std::vector<float>(kRows, 0.0F));
  steady(rounds, [&] {
    row_a_thread<<<blocks_for(kRows, 256), 256>>>(device_columns, device_values, x, y);
    row_a_warp<<<blocks_for(kRows * 32L, 256), 256>>>(device_columns, device_values, y, x);
  });
  print_sum("sum", x, kRows);
  return 0;
}
