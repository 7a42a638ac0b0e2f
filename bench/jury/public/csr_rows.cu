// A sparse matrix in compressed rows, of 96 to 160 entries around the diagonal, times a vector.
// At fault: a thread walks along a row, so that the lanes of a warp read entries about 512 bytes apart.
// The pattern is that of zjin-lcf/HeCBench, src/simpleSpmv-cuda/kernels.cu: a thread and a warp for each row.
#include <algorithm>

#include "../case.cuh"

namespace {

constexpr int kRows = 131072, kThreads = 256;

__global__ void spmv_thread_per_row(float* y, const int* starts, const int* columns, const float* values,
                                    const float* x, int rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  float sum = 0;
  const int end = starts[row + 1];
  for (int i = starts[row]; i < end; ++i) {
    sum += values[i] * x[columns[i]];  // fault
  }
  y[row] = sum;
}

__global__ void spmv_warp_per_row(float* y, const int* starts, const int* columns, const float* values,
                                  const float* x, int rows) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (row >= rows) return;
  float sum = 0;
  const int end = starts[row + 1];
  for (int i = starts[row] + lane; i < end; i += 32) {
    sum += values[i] * x[columns[i]];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, offset);
  if (lane == 0) y[row] = sum;
}

// A block fills a row with a band that stays within the matrix.
__global__ void fill_band(int* columns, const int* starts, int rows) {
  const int row = static_cast<int>(blockIdx.x), start = starts[row], length = starts[row + 1] - start;
  const int first = min(max(row - length / 2, 0), rows - length);
  for (int i = static_cast<int>(threadIdx.x); i < length; i += static_cast<int>(blockDim.x)) {
    columns[start + i] = first + i;
  }
}

Case make(bool thread_per_row) {
  auto* host = pinned_array<int>(kRows + 1);
  host[0] = 0;
  for (int row = 0; row < kRows; ++row) {
    host[row + 1] = host[row] + 96 + static_cast<int>(mixed_bits(static_cast<unsigned>(row)) % 65);
  }
  const auto entries = static_cast<std::size_t>(host[kRows]);
  auto* starts = device_array<int>(kRows + 1);
  CHECK(cudaMemcpy(starts, host, (kRows + 1) * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(host));
  auto* columns = device_array<int>(entries);
  auto* values = device_array<float>(entries);
  auto* x = device_array<float>(kRows);
  auto* y = device_array<float>(kRows);
  fill_band<<<kRows, 128>>>(columns, starts, kRows);
  fill_fractions(values, entries, 1);
  fill_fractions(x, kRows, 2);
  return {[=] {
            const std::size_t threads = static_cast<std::size_t>(kRows) * (thread_per_row ? 1 : 32);
            auto* kernel = thread_per_row ? spmv_thread_per_row : spmv_warp_per_row;
            kernel<<<blocks_for(threads, kThreads), kThreads>>>(y, starts, columns, values, x, kRows);
          },
          [=] { return device_sum(y, kRows); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
