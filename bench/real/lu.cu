// LU factorisation without pivoting, right-looking: the grid shrinks with each step.
// Planted: neighbouring lanes of `update` take neighbouring rows of a row-major matrix (G01).
#include "steady.cuh"

namespace {

constexpr int kSize = 2048;

__global__ void scale_column(float* a, int k) {
  const int row = k + 1 + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < kSize) a[row * kSize + k] /= a[k * kSize + k];
}

__global__ void update(float* a, int k) {
  const int row = k + 1 + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);  // planted
  const int column = k + 1 + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row < kSize && column < kSize) a[row * kSize + column] -= a[row * kSize + k] * a[k * kSize + column];
}

void factorise(float* a) {
  for (int k = 0; k < kSize - 1; ++k) {
    const int left = kSize - 1 - k;
    scale_column<<<blocks_for(left, 64), 64>>>(a, k);
    update<<<dim3(blocks_for(left, 32), blocks_for(left, 8)), dim3(32, 8)>>>(a, k);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = count_from(argc, argv, 200);
  std::vector<float> matrix(static_cast<std::size_t>(kSize) * kSize);
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j)
      matrix[static_cast<std::size_t>(i) * kSize + j] =
          i == j ? 2.0F * kSize : static_cast<float>((i * 7 + j * 3) % 11);
  float* source = on_device(matrix);
  float* a = on_device(matrix);
  const std::size_t bytes = matrix.size() * sizeof(float);
  steady(rounds, [&] {
    CHECK(cudaMemcpyAsync(a, source, bytes, cudaMemcpyDeviceToDevice));
    factorise(a);
  });
  print_sum("sum", a, matrix.size());
  return 0;
}
