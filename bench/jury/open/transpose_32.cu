// Transposes a matrix of floats by tiles of 32 x 32.
// Fault: the loads go down columns. Repair: a padded tile in shared memory.
#include "../case.cuh"

namespace {

constexpr unsigned kRows = 8192, kColumns = 6144, kTile = 32, kStep = 8;
constexpr std::size_t kCount = std::size_t{kRows} * kColumns;
static_assert(kRows % kTile == 0 && kColumns % kTile == 0);

// A block writes kTile rows of the result, of which it takes kStep at a time.
__global__ void transpose_by_columns(const float* in, float* out) {
  const unsigned row = blockIdx.x * kTile + threadIdx.x;
  for (unsigned k = threadIdx.y; k < kTile; k += kStep) {
    const unsigned column = blockIdx.y * kTile + k;
    out[column * kRows + row] = in[row * kColumns + column];  // fault
  }
}

__global__ void transpose_by_tiles(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + 1];
  const unsigned first_row = blockIdx.x * kTile, first_column = blockIdx.y * kTile;
  for (unsigned k = threadIdx.y; k < kTile; k += kStep)
    tile[k][threadIdx.x] = in[(first_row + k) * kColumns + first_column + threadIdx.x];
  __syncthreads();
  for (unsigned k = threadIdx.y; k < kTile; k += kStep)
    out[(first_column + k) * kRows + first_row + threadIdx.x] = tile[threadIdx.x][k];
}

Case side(decltype(&transpose_by_columns) kernel) {
  float* in = device_array<float>(kCount);
  float* out = device_array<float>(kCount);
  fill_fractions(in, kCount, 2);
  const dim3 grid(kRows / kTile, kColumns / kTile), block(kTile, kStep);
  return {[=] { kernel<<<grid, block>>>(in, out); }, [=] { return device_sum(out, kRows); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(transpose_by_columns); }, [] { return side(transpose_by_tiles); });
}
