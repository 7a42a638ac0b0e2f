// Clean: a blur over 5 x 5 pixels from a tile in shared memory, whose halo a few lanes load.
#include "../case.cuh"

namespace {

constexpr int kRows = 6000, kColumns = 8000, kRadius = 2, kTile = 32, kStep = 8, kEdge = kTile + 2 * kRadius;

__device__ float pixel(const float* in, int row, int column) {
  const bool is_inside = row >= 0 && row < kRows && column >= 0 && column < kColumns;
  return is_inside ? in[row * kColumns + column] : 0;
}

__global__ void blur(const float* in, float* out) {
  __shared__ float tile[kEdge][kEdge];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * kTile,
            first_column = static_cast<int>(blockIdx.x) * kTile;
  for (int row = y; row < kEdge; row += kStep)
    for (int column = x; column < kEdge; column += kTile)
      tile[row][column] = pixel(in, first_row + row - kRadius, first_column + column - kRadius);
  __syncthreads();
  for (int row = y; row < kTile; row += kStep) {
    if (first_row + row >= kRows || first_column + x >= kColumns) continue;
    float sum = 0;
#pragma unroll
    for (int down = 0; down <= 2 * kRadius; ++down)
#pragma unroll
      for (int right = 0; right <= 2 * kRadius; ++right) sum += tile[row + down][x + right];
    out[(first_row + row) * kColumns + first_column + x] = sum / 25;
  }
}

Case clean() {
  float* in = device_array<float>(std::size_t{kRows} * kColumns);
  float* out = device_array<float>(std::size_t{kRows} * kColumns);
  fill_fractions(in, std::size_t{kRows} * kColumns, 105);
  const dim3 grid(blocks_for(kColumns, kTile), blocks_for(kRows, kTile)), block(kTile, kStep);
  return {[=] { blur<<<grid, block>>>(in, out); }, [=] { return device_sum(out, 1 << 20); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
