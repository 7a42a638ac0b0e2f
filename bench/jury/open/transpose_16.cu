// Transposes a matrix of complex numbers by blocks of 16 x 16 threads.
// Fault: each half of a warp stores down a column. Repair: a tile is turned in shared memory.
#include "../case.cuh"

namespace {

constexpr unsigned kRows = 4000, kColumns = 6100, kTile = 16;
constexpr std::size_t kCount = std::size_t{kRows} * kColumns;

__global__ void transpose_naive(const float2* in, float2* out, unsigned rows, unsigned columns) {
  const unsigned x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];  // fault
}

__global__ void transpose_tile(const float2* in, float2* out, unsigned rows, unsigned columns) {
  __shared__ float2 tile[kTile][kTile + 1];
  const unsigned x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
  __syncthreads();
  const unsigned to_x = blockIdx.y * kTile + threadIdx.x, to_y = blockIdx.x * kTile + threadIdx.y;
  if (to_x < rows && to_y < columns) out[to_y * rows + to_x] = tile[threadIdx.x][threadIdx.y];
}

Case side(decltype(&transpose_naive) kernel) {
  float2* in = device_array<float2>(kCount);
  float2* out = device_array<float2>(kCount);
  fill_fractions(reinterpret_cast<float*>(in), 2 * kCount, 1);
  const dim3 grid(blocks_for(kColumns, kTile), blocks_for(kRows, kTile)), block(kTile, kTile);
  return {[=] { kernel<<<grid, block>>>(in, out, kRows, kColumns); },
          [=] { return device_sum(reinterpret_cast<const float*>(out), 2 * kRows); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(transpose_naive); }, [] { return side(transpose_tile); });
}
