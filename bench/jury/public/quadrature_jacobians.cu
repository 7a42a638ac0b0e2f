// Gradients at 4 million quadrature points of finite elements: a matrix of 3 x 3 times a vector, in doubles.
// At fault: the 9 and the 3 values of a point are contiguous, so that the lanes of a warp read 72 bytes and
// 24 bytes apart. The pattern is that of dealii/dealii, whose pull request 18328 turns the arrays of its
// matrix-free kernels round.
#include "../case.cuh"

namespace {

constexpr int kPoints = 4 << 20, kThreads = 256;
constexpr std::size_t kMatrixWords = std::size_t{9} * kPoints, kVectorWords = std::size_t{3} * kPoints;

__global__ void gradients_point_major(double* out, const double* jacobians, const double* gradients) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (point >= kPoints) return;
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    double sum = 0;
#pragma unroll
    for (int e = 0; e < 3; ++e) sum += jacobians[point * 9 + d * 3 + e] * gradients[point * 3 + e];  // fault
    out[point * 3 + d] = sum;                                                                        // fault
  }
}

__global__ void gradients_component_major(double* out, const double* jacobians, const double* gradients) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (point >= kPoints) return;
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    double sum = 0;
#pragma unroll
    for (int e = 0; e < 3; ++e)
      sum += jacobians[(d * 3 + e) * kPoints + point] * gradients[e * kPoints + point];
    out[d * kPoints + point] = sum;
  }
}

__global__ void fill_components(double* words, int components, bool point_major) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= kPoints * components) return;
  const int point = point_major ? at / components : at % kPoints,
            component = point_major ? at % components : at / kPoints;
  words[at] = static_cast<double>(mixed_fraction(static_cast<unsigned>(point * components + component)));
}

Case make(bool point_major) {
  auto* jacobians = device_array<double>(kMatrixWords);
  auto* gradients = device_array<double>(kVectorWords);
  auto* out = device_array<double>(kVectorWords);
  fill_components<<<blocks_for(kMatrixWords, 256), 256>>>(jacobians, 9, point_major);
  fill_components<<<blocks_for(kVectorWords, 256), 256>>>(gradients, 3, point_major);
  return {[=] {
            auto* kernel = point_major ? gradients_point_major : gradients_component_major;
            kernel<<<blocks_for(kPoints, kThreads), kThreads>>>(out, jacobians, gradients);
          },
          [=] { return device_sum(out, kVectorWords); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
