// A step of a wave in a volume of 2048 x 2048 x 64 points, with eight neighbours along each axis.
// At fault: the blocks go through a whole plane of 16 MB before the next one, so that each of the nine
// planes that a point needs is read from DRAM again. The pattern is that of NVIDIA/Fuser, pull request 87,
// and JuliaGPU/GemmKernels.jl, pull request 195: another order of the blocks keeps what they share in L2.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSize = 2048, kPlanes = 64, kReach = 4, kWide = 32, kHigh = 8;
constexpr int kPlane = kSize * kSize;
constexpr std::size_t kPoints = std::size_t{kPlanes + 2 * kReach} * kPlane;

// `next` holds the values before `now` until they are replaced.
__device__ void advance(float* next, const float* now, int row, int plane) {
  const int column = static_cast<int>(blockIdx.x * kWide + threadIdx.x);
  if (column < kReach || column >= kSize - kReach || row < kReach || row >= kSize - kReach) return;
  constexpr float kWeights[kReach + 1] = {-205.0F / 72, 8.0F / 5, -1.0F / 5, 8.0F / 315, -1.0F / 560};
  const std::size_t at = static_cast<std::size_t>(plane + kReach) * kPlane + row * kSize + column;
  const float own = now[at];  // fault
  float bend = 3 * kWeights[0] * own;
#pragma unroll
  for (int k = 1; k <= kReach; ++k) {
    const std::size_t up = std::size_t{kPlane} * k;
    bend += kWeights[k] * (now[at - k] + now[at + k] + now[at - k * kSize] + now[at + k * kSize]);  // fault
    bend += kWeights[k] * (now[at - up] + now[at + up]);                                            // fault
  }
  next[at] = 2 * own - next[at] + 0.1F * bend;
}

__global__ void advance_by_planes(float* next, const float* now) {
  advance(next, now, static_cast<int>(blockIdx.y * kHigh + threadIdx.y),  // fault
          static_cast<int>(blockIdx.z));                                  // fault
}

__global__ void advance_by_rows(float* next, const float* now) {
  advance(next, now, static_cast<int>(blockIdx.z * kHigh + threadIdx.y), static_cast<int>(blockIdx.y));
}

struct Wave {
  float *now, *next;
};

Case make(bool by_planes) {
  auto wave = std::make_shared<Wave>(Wave{device_array<float>(kPoints), device_array<float>(kPoints)});
  fill_fractions(wave->now, kPoints, 1);
  fill_fractions(wave->next, kPoints, 2);
  return {
      [=] {
        const dim3 threads(kWide, kHigh);
        if (by_planes) {
          advance_by_planes<<<dim3(kSize / kWide, kSize / kHigh, kPlanes), threads>>>(wave->next, wave->now);
        } else {
          advance_by_rows<<<dim3(kSize / kWide, kPlanes, kSize / kHigh), threads>>>(wave->next, wave->now);
        }
        std::swap(wave->now, wave->next);
      },
      [=] { return device_sum(wave->now + std::size_t{32} * kPlane, std::size_t{4} * kPlane); }, 300};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
