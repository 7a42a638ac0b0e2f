// Packs 16 columns of a table of 4 million rows into rows of 64 bytes.
// At fault: a thread packs a row, so that neighbouring lanes store 64 bytes apart. The pattern is that of
// NVIDIA/cudf, whose pull request 11063 goes through shared memory and stores rows in order.
#include "../case.cuh"

namespace {

constexpr int kRows = 4 << 20, kColumns = 16, kThreads = 256;

__global__ void pack_by_row(int* rows, const int* columns) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= kRows) return;
#pragma unroll
  for (int column = 0; column < kColumns; ++column)
    rows[row * kColumns + column] = columns[column * kRows + row];  // fault
}

// Two rows lie in 32 words; each pair is turned by one word, so that a column meets all banks.
__device__ int place_of(int row, int column) {
  return row * kColumns + (column + row / 2) % kColumns;
}

__global__ void pack_by_tile(int* rows, const int* columns) {
  __shared__ int tile[kThreads * kColumns];
  const int thread = static_cast<int>(threadIdx.x), first = static_cast<int>(blockIdx.x) * kThreads;
#pragma unroll
  for (int column = 0; column < kColumns; ++column)
    tile[place_of(thread, column)] = columns[column * kRows + first + thread];
  __syncthreads();
#pragma unroll
  for (int step = 0; step < kColumns; ++step) {
    const int word = step * kThreads + thread;
    rows[first * kColumns + word] = tile[place_of(word / kColumns, word % kColumns)];
  }
}

__global__ void fill_columns(int* columns) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  columns[i] = static_cast<int>(mixed_bits(static_cast<unsigned>(i)) % 1000);
}

double weighted_sum(const int* rows) {
  constexpr int kCount = 1 << 22;
  auto* host = pinned_array<int>(kCount);
  CHECK(cudaMemcpy(host, rows, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < kCount; ++i) sum += static_cast<double>(host[i]) * (i % 97);
  CHECK(cudaFreeHost(host));
  return sum;
}

Case make(bool by_row) {
  auto* columns = device_array<int>(std::size_t{kRows} * kColumns);
  auto* rows = device_array<int>(std::size_t{kRows} * kColumns);
  fill_columns<<<kRows / kThreads * kColumns, kThreads>>>(columns);
  return {[=] {
            if (by_row) {
              pack_by_row<<<kRows / kThreads, kThreads>>>(rows, columns);
            } else {
              pack_by_tile<<<kRows / kThreads, kThreads>>>(rows, columns);
            }
          },
          [=] { return weighted_sum(rows); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
