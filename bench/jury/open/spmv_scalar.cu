// The product of a sparse matrix in CSR, with rows of 16 to 112 elements in a band, and a vector.
// Fault: a thread goes through a row. Repair: a warp does.
#include "../case.cuh"

namespace {

constexpr unsigned kRows = 1U << 18, kBand = 8192;

struct Matrix {
  unsigned* begins;  // kRows + 1
  unsigned* columns;
  float* values;
};

__global__ void multiply_by_threads(Matrix matrix, const float* x, float* y, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (unsigned j = matrix.begins[row]; j < matrix.begins[row + 1]; ++j)
    sum += matrix.values[j] * x[matrix.columns[j]];  // fault
  y[row] = sum;
}

__global__ void multiply_by_warps(Matrix matrix, const float* x, float* y, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (unsigned j = matrix.begins[row] + lane; j < matrix.begins[row + 1]; j += 32)
    sum += matrix.values[j] * x[matrix.columns[j]];
  for (unsigned other = 16; other > 0; other /= 2) sum += __shfl_down_sync(0xffffffffU, sum, other);
  if (lane == 0) y[row] = sum;
}

__global__ void fill_columns(Matrix matrix, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  for (unsigned j = matrix.begins[row] + lane; j < matrix.begins[row + 1]; j += 32)
    matrix.columns[j] = (row + mixed_bits(j) % kBand) % rows;
}

Matrix banded_matrix() {
  unsigned* begins = pinned_array<unsigned>(kRows + 1);
  begins[0] = 0;
  for (unsigned row = 0; row < kRows; ++row) begins[row + 1] = begins[row] + 16 + mixed_bits(row) % 97;
  const unsigned count = begins[kRows];
  const Matrix matrix{device_array<unsigned>(kRows + 1), device_array<unsigned>(count),
                      device_array<float>(count)};
  CHECK(cudaMemcpy(matrix.begins, begins, (kRows + 1) * sizeof(unsigned), cudaMemcpyHostToDevice));
  fill_columns<<<blocks_for(kRows * 32, 256), 256>>>(matrix, kRows);
  fill_fractions(matrix.values, count, 8);
  return matrix;
}

Case side(decltype(&multiply_by_warps) kernel, unsigned threads) {
  const Matrix matrix = banded_matrix();
  float* x = device_array<float>(kRows);
  float* y = device_array<float>(kRows);
  fill_fractions(x, kRows, 9);
  return {[=] { kernel<<<blocks_for(threads, 256), 256>>>(matrix, x, y, kRows); },
          [=] { return device_sum(y, kRows); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(multiply_by_threads, kRows); },
      [] { return side(multiply_by_warps, kRows * 32); });
}
