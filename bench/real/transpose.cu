// Transposes a matrix and its transpose, a few times: a program of a second.
// Planted: `transpose` writes down columns (G01). `transpose_tiled` is clean.
#include "steady.cuh"

namespace {

constexpr int kSide = 8192;
constexpr int kTile = 32;

__global__ void transpose(const float* in, float* out) {
  const int column = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
  for (int k = 0; k < kTile; k += 8) {
    const int row = static_cast<int>(blockIdx.y * kTile + threadIdx.y) + k;
    out[static_cast<long>(column) * kSide + row] = in[static_cast<long>(row) * kSide + column];  // planted
  }
}

__global__ void transpose_tiled(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = static_cast<int>(blockIdx.x) * kTile, y = static_cast<int>(blockIdx.y) * kTile;
  for (unsigned k = threadIdx.y; k < kTile; k += 8)
    tile[k][threadIdx.x] = in[static_cast<long>(y + k) * kSide + x + threadIdx.x];
  __syncthreads();
  for (unsigned k = threadIdx.y; k < kTile; k += 8)
    out[static_cast<long>(x + k) * kSide + y + threadIdx.x] = tile[threadIdx.x][k];
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = count_from(argc, argv, 40);
  const std::size_t count = static_cast<std::size_t>(kSide) * kSide;
  std::vector<float> host(count);
  for (std::size_t i = 0; i < count; ++i) host[i] = static_cast<float>(i % 1009);
  float *a = on_device(host), *b = on_device(host);
  const dim3 grid(kSide / kTile, kSide / kTile), block(kTile, 8);
  steady(rounds, [&] {
    transpose<<<grid, block>>>(a, b);
    transpose_tiled<<<grid, block>>>(b, a);
  });
  print_sum("sum", a, count);
  return 0;
}
