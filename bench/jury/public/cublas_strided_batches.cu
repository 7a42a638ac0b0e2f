// The products of 2048 pairs of matrices of 256 x 256.
// Nothing is wrong: the library takes all pairs by one call. The pattern is that of
// NVIDIA/CUDALibrarySamples, cuBLAS/Extensions/GemmStridedBatchedEx.
#include <cublas_v2.h>

#include "../case.cuh"

namespace {

constexpr int kSide = 256, kPairs = 2048;

void check_blas(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuBLAS: %d\n", static_cast<int>(status));
  std::exit(9);
}

Case make() {
  constexpr std::size_t kWords = std::size_t{kSide} * kSide * kPairs;
  auto* a = device_array<float>(kWords);
  auto* b = device_array<float>(kWords);
  auto* c = device_array<float>(kWords);
  fill_fractions(a, kWords, 1);
  fill_fractions(b, kWords, 2);
  cublasHandle_t handle = nullptr;
  check_blas(cublasCreate(&handle));
  return {[=] {
            constexpr float kOne = 1, kZero = 0;
            constexpr long long kStride = static_cast<long long>(kSide) * kSide;
            check_blas(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSide, kSide, kSide, &kOne,
                                                 a, kSide, kStride, b, kSide, kStride, &kZero, c, kSide,
                                                 kStride, kPairs));
          },
          [=] { return device_sum(c, std::size_t{1} << 22); }, 200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
