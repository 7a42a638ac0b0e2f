// Steps of the heat equation on a grid of doubles that is stored row by row.
// Fault: threadIdx.x counts the rows. Repair: it counts the columns.
#include "../case.cuh"

namespace {

constexpr unsigned kRows = 3072, kColumns = 5120;
constexpr std::size_t kCount = std::size_t{kRows} * kColumns;

__device__ bool is_inside(unsigned row, unsigned column) {
  return row > 0 && row < kRows - 1 && column > 0 && column < kColumns - 1;
}

__global__ void heat_by_columns(const double* in, double* out) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (!is_inside(row, column)) return;
  const unsigned i = row * kColumns + column;
  const double around = in[i - 1] + in[i + 1] + in[i - kColumns] + in[i + kColumns];  // fault
  out[i] = 0.6 * in[i] + 0.1 * around;                                                // fault
}

__global__ void heat_by_rows(const double* in, double* out) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (!is_inside(row, column)) return;
  const unsigned i = row * kColumns + column;
  const double around = in[i - 1] + in[i + 1] + in[i - kColumns] + in[i + kColumns];
  out[i] = 0.6 * in[i] + 0.1 * around;
}

Case side(decltype(&heat_by_rows) kernel, unsigned along_x, unsigned along_y) {
  double* in = device_array<double>(kCount);
  double* out = device_array<double>(kCount);
  fill_fractions(in, kCount, 3);
  fill_fractions(out, kCount, 3);  // the edge is the same in both
  const dim3 block(32, 8), grid(blocks_for(along_x, block.x), blocks_for(along_y, block.y));
  return {[=]() mutable {
            kernel<<<grid, block>>>(in, out);
            std::swap(in, out);
          },
          [=] { return device_sum(in, 1 << 20); }, 1000};  // an even number: the result is where it began
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(heat_by_columns, kRows, kColumns); },
      [] { return side(heat_by_rows, kColumns, kRows); });
}
