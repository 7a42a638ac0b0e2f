// A step of a stencil of radius 4 in three dimensions: a block marches along z with a plane of it in shared
// memory. Nothing is wrong: the values along z stay in registers, the plane is read once, in order, with its
// borders. The pattern is that of NVIDIA/cuda-samples, Samples/5_Domain_Specific/FDTD3d.
#include <utility>

#include "../case.cuh"

namespace {

constexpr int kX = 512, kY = 512, kZ = 256, kRadius = 4, kWidth = 32, kHeight = 16;
constexpr int kPitch = kX + 2 * kWidth;  // a border of a whole warp keeps the rows aligned
constexpr int kRowsOfPlane = kY + 2 * kRadius;
constexpr std::size_t kPlane = static_cast<std::size_t>(kPitch) * kRowsOfPlane;
constexpr std::size_t kWords = kPlane * (kZ + 2 * kRadius);

__constant__ float weights[kRadius + 1];

__global__ void __launch_bounds__(kWidth* kHeight) march_along_z(float* out, const float* in) {
  __shared__ float tile[kHeight + 2 * kRadius][kWidth + 2 * kRadius];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const std::size_t first = (blockIdx.y * kHeight + y + kRadius) * static_cast<std::size_t>(kPitch) +
                            blockIdx.x * kWidth + kWidth + x;
  float line[2 * kRadius + 1];
#pragma unroll
  for (int k = 0; k < 2 * kRadius; ++k) line[k + 1] = in[first + k * kPlane];
  for (int z = 0; z < kZ; ++z) {
#pragma unroll
    for (int k = 0; k < 2 * kRadius; ++k) line[k] = line[k + 1];
    line[2 * kRadius] = in[first + (z + 2 * kRadius) * kPlane];
    const std::size_t here = first + (z + kRadius) * kPlane;
    __syncthreads();
    tile[y + kRadius][x + kRadius] = line[kRadius];
    if (y < kRadius) {
      tile[y][x + kRadius] = in[here - std::size_t{kRadius} * kPitch];
      tile[y + kHeight + kRadius][x + kRadius] = in[here + std::size_t{kHeight} * kPitch];
    }
    if (x < kRadius) {
      tile[y + kRadius][x] = in[here - kRadius];
      tile[y + kRadius][x + kWidth + kRadius] = in[here + kWidth];
    }
    __syncthreads();
    float sum = weights[0] * line[kRadius];
#pragma unroll
    for (int k = 1; k <= kRadius; ++k) {
      sum += weights[k] * (line[kRadius - k] + line[kRadius + k] + tile[y + kRadius][x + kRadius - k] +
                           tile[y + kRadius][x + kRadius + k] + tile[y + kRadius - k][x + kRadius] +
                           tile[y + kRadius + k][x + kRadius]);
    }
    out[here] = sum;
  }
}

Case make() {
  auto* from = device_array<float>(kWords);
  auto* to = device_array<float>(kWords);
  fill_fractions(from, kWords, 1);
  fill_fractions(to, kWords, 1);
  auto* chosen = pinned_array<float>(kRadius + 1);
  for (int i = 0; i <= kRadius; ++i) chosen[i] = i == 0 ? 0.4F : 0.1F / 4;
  CHECK(cudaMemcpyToSymbol(weights, chosen, (kRadius + 1) * sizeof(float)));
  CHECK(cudaFreeHost(chosen));
  return {[=]() mutable {
            march_along_z<<<dim3(kX / kWidth, kY / kHeight), dim3(kWidth, kHeight)>>>(to, from);
            std::swap(from, to);
          },
          [=] { return device_sum(from + kPlane * 8, std::size_t{1} << 22); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
