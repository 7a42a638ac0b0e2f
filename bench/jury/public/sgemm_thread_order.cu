// A product of two square row-major matrices of floats.
// At fault: neighbouring lanes take neighbouring rows, so that they read and write words 4 KB apart.
// The pattern is that of siboehm/SGEMM_CUDA, src/kernels/1_naive.cuh; its repair is
// 3_kernel_shared_mem_blocking.cuh.
#include "../case.cuh"

namespace {

constexpr int kSize = 1024, kTile = 32;

__global__ void sgemm_lane_per_row(float* c, const float* a, const float* b, int n) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int column = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += a[row * n + k] * b[k * n + column];  // fault
  }
  c[row * n + column] = sum;
}

__global__ void sgemm_tiles(float* c, const float* a, const float* b, int n) {
  __shared__ float a_tile[kTile][kTile], b_tile[kTile][kTile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * kTile + y, column = static_cast<int>(blockIdx.x) * kTile + x;
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    a_tile[y][x] = a[row * n + first + x];
    b_tile[y][x] = b[(first + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += a_tile[y][k] * b_tile[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

Case make(bool lane_per_row) {
  static_assert(kSize % kTile == 0);
  constexpr std::size_t kWords = static_cast<std::size_t>(kSize) * kSize;
  float* a = device_array<float>(kWords);
  float* b = device_array<float>(kWords);
  float* c = device_array<float>(kWords);
  fill_fractions(a, kWords, 1);
  fill_fractions(b, kWords, 2);
  return {[=] {
            auto* kernel = lane_per_row ? sgemm_lane_per_row : sgemm_tiles;
            kernel<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, kTile)>>>(c, a, b, kSize);
          },
          [=] { return device_sum(c, kWords); }, 120};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
