// The largest eigenvalue of each of 512 symmetric matrices of 32 x 32, by repeated products with a vector.
// At fault: a launch of one warp for each matrix, 512 in a row. The pattern is that of pytorch/pytorch,
// pull request 185645: a launch for each matrix against one for all of them.
#include "../case.cuh"

namespace {

constexpr int kMatrices = 512, kSize = 32, kWords = kSize * kSize, kSteps = 32, kWarps = 4;

__global__ void make_symmetric(float* matrices) {
  const unsigned row = threadIdx.y, column = threadIdx.x, matrix = blockIdx.x;
  const unsigned low = min(row, column), high = max(row, column);
  matrices[matrix * kWords + row * kSize + column] = mixed_fraction(matrix * kWords + low * kSize + high);
}

// For a warp: a lane has a column, which is a row too.
__device__ void find_eigenvalue(float* out, const float* matrix) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  float column[kSize];
#pragma unroll
  for (int k = 0; k < kSize; ++k) column[k] = matrix[k * kSize + lane];  // fault
  float part = 1, largest = 0;
  for (int step = 0; step < kSteps; ++step) {  // fault
    float next = 0;
#pragma unroll
    for (int k = 0; k < kSize; ++k) next += column[k] * __shfl_sync(0xffffffffU, part, k);  // fault
    largest = fabsf(next);                                                                  // fault
    for (int far = 16; far > 0; far /= 2)
      largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, far));  // fault
    part = next / largest;                                                   // fault
  }
  if (lane == 0) *out = largest;
}

__global__ void eigenvalue_of_one(float* out, const float* matrix) {
  find_eigenvalue(out, matrix);  // fault
}

__global__ void eigenvalues_of_all(float* out, const float* matrices) {
  const int matrix = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32;
  find_eigenvalue(out + matrix, matrices + matrix * kWords);
}

Case make(bool one_by_one) {
  auto* matrices = device_array<float>(std::size_t{kMatrices} * kWords);
  auto* out = device_array<float>(kMatrices);
  make_symmetric<<<kMatrices, dim3(kSize, kSize)>>>(matrices);
  return {[=] {
            if (one_by_one) {
              for (int k = 0; k < kMatrices; ++k)
                eigenvalue_of_one<<<1, 32>>>(out + k, matrices + k * kWords);  // fault
            } else {
              eigenvalues_of_all<<<kMatrices / kWarps, kWarps * 32>>>(out, matrices);
            }
          },
          [=] { return device_sum(out, kMatrices); }, 200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
