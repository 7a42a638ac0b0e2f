// One step of heat in a cube of 384 x 384 x 384 points, stored plane by plane.
// At fault: threadIdx.x counts the planes, so that neighbouring lanes lie a plane apart. The pattern is that
// of llnl/RAJAPerf, whose pull request 194 reorders the indices of HEAT_3D.
#include "../case.cuh"

namespace {

constexpr int kSize = 384, kPlane = kSize * kSize;
constexpr std::size_t kPoints = std::size_t{kPlane} * kSize;

__device__ bool inside(int plane, int row, int column) {
  return min(min(plane, row), column) > 0 && max(max(plane, row), column) < kSize - 1;
}

__global__ void heat_along_planes(float* next, const float* now) {
  const int plane = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.z);
  if (!inside(plane, row, column)) return;
  const int at = plane * kPlane + row * kSize + column;
  const float along_plane = now[at - kPlane] + now[at + kPlane];                     // fault
  const float along_row = now[at - kSize] + now[at + kSize];                         // fault
  const float along_column = now[at - 1] + now[at + 1];                              // fault
  const float centre = now[at];                                                      // fault
  next[at] = centre + 0.1F * (along_plane + along_row + along_column - 6 * centre);  // fault
}

__global__ void heat_along_columns(float* next, const float* now) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int plane = static_cast<int>(blockIdx.z);
  if (!inside(plane, row, column)) return;
  const int at = plane * kPlane + row * kSize + column;
  const float along_plane = now[at - kPlane] + now[at + kPlane];
  const float along_row = now[at - kSize] + now[at + kSize];
  const float along_column = now[at - 1] + now[at + 1];
  const float centre = now[at];
  next[at] = centre + 0.1F * (along_plane + along_row + along_column - 6 * centre);
}

Case make(bool along_planes) {
  auto* now = device_array<float>(kPoints);
  auto* next = device_array<float>(kPoints);
  fill_fractions(now, kPoints, 1);
  CHECK(cudaMemset(next, 0, kPoints * sizeof(float)));
  return {[=] {
            const dim3 grid(kSize / 32, kSize / 8, kSize), block(32, 8);
            if (along_planes) {
              heat_along_planes<<<grid, block>>>(next, now);
            } else {
              heat_along_columns<<<grid, block>>>(next, now);
            }
          },
          [=] { return device_sum(next, std::size_t{kPlane} * 32); }, 500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
