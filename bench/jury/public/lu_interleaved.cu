// Factors a million matrices of 8 x 8, one a thread.
// Nothing is wrong: the matrices are interleaved, so that neighbouring threads read neighbouring words, and a
// thread keeps its matrix in registers. The pattern is that of kokkos/kokkos-kernels, batched/dense.
#include "../case.cuh"

namespace {

constexpr int kMatrices = 1 << 20, kSide = 8, kThreads = 128;

__global__ void factor(float* out, const float* in) {
  const int matrix = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float a[kSide * kSide];
#pragma unroll
  for (int i = 0; i < kSide * kSide; ++i) a[i] = in[i * kMatrices + matrix];
#pragma unroll
  for (int k = 0; k < kSide; ++k) {
    const float inverse = 1 / a[k * kSide + k];
#pragma unroll
    for (int i = k + 1; i < kSide; ++i) {
      const float ratio = a[i * kSide + k] * inverse;
      a[i * kSide + k] = ratio;
#pragma unroll
      for (int j = k + 1; j < kSide; ++j) a[i * kSide + j] -= ratio * a[k * kSide + j];
    }
  }
#pragma unroll
  for (int i = 0; i < kSide * kSide; ++i) out[i * kMatrices + matrix] = a[i];
}

// Each diagonal is larger than the sum of its row.
__global__ void fill_matrices(float* words) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= kMatrices * kSide * kSide) return;
  const int place = at / kMatrices;
  const bool diagonal = place / kSide == place % kSide;
  words[at] = mixed_fraction(static_cast<unsigned>(at)) + (diagonal ? 8.0F : 0.0F);
}

Case make() {
  constexpr std::size_t kWords = std::size_t{kMatrices} * kSide * kSide;
  auto* in = device_array<float>(kWords);
  auto* out = device_array<float>(kWords);
  fill_matrices<<<blocks_for(kWords, 256), 256>>>(in);
  return {[=] { factor<<<kMatrices / kThreads, kThreads>>>(out, in); },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 1800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
