// The derivative of a field along y, of eighth order, periodic; whole lines of y lie in shared memory.
// At fault: a block takes lines of 4 neighbouring x, so that a row of it is 16 bytes, half of a sector.
// The pattern is that of NVIDIA-developer-blog/code-samples,
// series/cuda-cpp/finite-difference/finite-difference.cu: small and large pencils.
#include "../case.cuh"

namespace {

constexpr int kX = 1024, kY = 64, kZ = 512, kHalo = 4;
constexpr int kNarrow = 4, kWide = 32, kWideRows = 8;

template <int kWidth>
__device__ float derivative_at(const float (&line)[kY + 2 * kHalo][kWidth], int y, int x) {
  return 0.8F * (line[y + 1][x] - line[y - 1][x]) - 0.2F * (line[y + 2][x] - line[y - 2][x]) +
         0.0380952381F * (line[y + 3][x] - line[y - 3][x]) -
         0.00357142857F * (line[y + 4][x] - line[y - 4][x]);
}

__global__ void derivative_narrow(float* out, const float* in) {
  __shared__ float line[kY + 2 * kHalo][kNarrow];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const std::size_t at = (static_cast<std::size_t>(blockIdx.y) * kY + y) * kX + blockIdx.x * kNarrow + x;
  const float value = in[at];  // fault
  line[y + kHalo][x] = value;
  if (y < kHalo) line[y + kHalo + kY][x] = value;
  if (y >= kY - kHalo) line[y + kHalo - kY][x] = value;
  __syncthreads();
  out[at] = derivative_at(line, y + kHalo, x);  // fault
}

__global__ void derivative_wide(float* out, const float* in) {
  __shared__ float line[kY + 2 * kHalo][kWide];
  const int x = static_cast<int>(threadIdx.x);
  const std::size_t first = static_cast<std::size_t>(blockIdx.y) * kY * kX + blockIdx.x * kWide + x;
  for (int y = static_cast<int>(threadIdx.y); y < kY; y += kWideRows) {
    const float value = in[first + static_cast<std::size_t>(y) * kX];
    line[y + kHalo][x] = value;
    if (y < kHalo) line[y + kHalo + kY][x] = value;
    if (y >= kY - kHalo) line[y + kHalo - kY][x] = value;
  }
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < kY; y += kWideRows) {
    out[first + static_cast<std::size_t>(y) * kX] = derivative_at(line, y + kHalo, x);
  }
}

__global__ void square(float* out, const float* in, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

Case make(bool narrow) {
  constexpr std::size_t kWords = static_cast<std::size_t>(kX) * kY * kZ, kSummed = 4096;
  auto* in = device_array<float>(kWords);
  auto* out = device_array<float>(kWords);
  fill_fractions(in, kWords, 1);
  return {[=] {
            if (narrow) {
              derivative_narrow<<<dim3(kX / kNarrow, kZ), dim3(kNarrow, kY)>>>(out, in);
            } else {
              derivative_wide<<<dim3(kX / kWide, kZ), dim3(kWide, kWideRows)>>>(out, in);
            }
          },
          [=] {
            auto* squares = device_array<float>(kSummed);
            square<<<blocks_for(kSummed, 256), 256>>>(squares, out + kWords / 2 + 1234, kSummed);
            return device_sum(squares, kSummed);
          },
          2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
