// An implicit step of the sources of a plasma in 4 million cells: a matrix of 3 x 3 and a right side for
// each cell, then the solutions.
// At fault: the memory of the matrices and right sides is allocated and freed in each step. The pattern is
// that of ammarhakim/gkyl-archive, pull request 28, which wants the allocation outside of the steps.
#include "../case.cuh"

namespace {

constexpr int kCells = 4 << 20, kThreads = 256;

__device__ int own_cell() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ float& part(float* fields, int k) {
  return fields[k * kCells + own_cell()];
}

__device__ float part(const float* fields, int k) {
  return fields[k * kCells + own_cell()];
}

__global__ void set_up(float* matrices, float* right, const float* speeds, const float* turns) {
  const float x = 0.1F * part(turns, 0), y = 0.1F * part(turns, 1), z = 0.1F * part(turns, 2);
  const float rows[9] = {1, -z, y, z, 1, -x, -y, x, 1};
#pragma unroll
  for (int k = 0; k < 9; ++k) part(matrices, k) = rows[k];
#pragma unroll
  for (int k = 0; k < 3; ++k) part(right, k) = part(speeds, k);
}

__global__ void solve_cells(float* speeds, const float* matrices, const float* right) {
  float m[9], r[3];
#pragma unroll
  for (int k = 0; k < 9; ++k) m[k] = part(matrices, k);
#pragma unroll
  for (int k = 0; k < 3; ++k) r[k] = part(right, k);
  const float a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
  const float scale = 1 / (m[0] * a + m[1] * b + m[2] * c);
  part(speeds, 0) =
      scale * (a * r[0] + (m[2] * m[7] - m[1] * m[8]) * r[1] + (m[1] * m[5] - m[2] * m[4]) * r[2]);
  part(speeds, 1) =
      scale * (b * r[0] + (m[0] * m[8] - m[2] * m[6]) * r[1] + (m[2] * m[3] - m[0] * m[5]) * r[2]);
  part(speeds, 2) =
      scale * (c * r[0] + (m[1] * m[6] - m[0] * m[7]) * r[1] + (m[0] * m[4] - m[1] * m[3]) * r[2]);
}

void step(float* speeds, const float* turns, float* matrices, float* right) {
  set_up<<<kCells / kThreads, kThreads>>>(matrices, right, speeds, turns);
  solve_cells<<<kCells / kThreads, kThreads>>>(speeds, matrices, right);
}

Case make(bool allocates_each_time) {
  auto* speeds = device_array<float>(std::size_t{3} * kCells);
  auto* turns = device_array<float>(std::size_t{3} * kCells);
  fill_fractions(speeds, std::size_t{3} * kCells, 1);
  fill_fractions(turns, std::size_t{3} * kCells, 2);
  const auto sum = [=] { return device_sum(speeds, std::size_t{3} * kCells); };
  constexpr int kRounds = 600;
  if (allocates_each_time)
    return {[=] {
              auto* matrices = device_array<float>(std::size_t{9} * kCells);  // fault
              auto* right = device_array<float>(std::size_t{3} * kCells);     // fault
              step(speeds, turns, matrices, right);
              CHECK(cudaFree(matrices));  // fault
              CHECK(cudaFree(right));     // fault
            },
            sum, kRounds};
  auto* matrices = device_array<float>(std::size_t{9} * kCells);
  auto* right = device_array<float>(std::size_t{3} * kCells);
  return {[=] { step(speeds, turns, matrices, right); }, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
