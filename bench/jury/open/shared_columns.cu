// Products of many small matrices with the transposed ones of others: C = A B^T, 32 x 32 each.
// Fault: the lanes of a warp read one column of a tile, from one bank. Repair: rows of 33 words.
#include "../case.cuh"

namespace {

constexpr unsigned kSide = 32, kProducts = 8192;

__global__ void multiply_tiles(const float* a, const float* b, float* c) {
  __shared__ float left[kSide][kSide], right[kSide][kSide];
  const unsigned x = threadIdx.x, y = threadIdx.y, i = (blockIdx.x * kSide + y) * kSide + x;
  left[y][x] = a[i];
  right[y][x] = b[i];
  __syncthreads();
  float sum = 0;
  for (unsigned k = 0; k < kSide; ++k) sum += left[y][k] * right[x][k];  // fault
  c[i] = sum;
}

__global__ void multiply_padded_tiles(const float* a, const float* b, float* c) {
  __shared__ float left[kSide][kSide], right[kSide][kSide + 1];
  const unsigned x = threadIdx.x, y = threadIdx.y, i = (blockIdx.x * kSide + y) * kSide + x;
  left[y][x] = a[i];
  right[y][x] = b[i];
  __syncthreads();
  float sum = 0;
  for (unsigned k = 0; k < kSide; ++k) sum += left[y][k] * right[x][k];
  c[i] = sum;
}

Case side(decltype(&multiply_tiles) kernel) {
  constexpr std::size_t count = std::size_t{kProducts} * kSide * kSide;
  float* a = device_array<float>(count);
  float* b = device_array<float>(count);
  float* c = device_array<float>(count);
  fill_fractions(a, count, 24);
  fill_fractions(b, count, 25);
  return {[=] { kernel<<<kProducts, dim3(kSide, kSide)>>>(a, b, c); }, [=] { return device_sum(c, 1 << 20); },
          300};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(multiply_tiles); }, [] { return side(multiply_padded_tiles); });
}
