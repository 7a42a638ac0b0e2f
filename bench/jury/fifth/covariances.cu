// The products of 4096 variables with each other, over 8192 observations.
// Nothing is wrong: one call of the library. The pattern is that of NVIDIA/CUDALibrarySamples,
// cuBLAS/Level-3/syrk.
#include <cublas_v2.h>

#include "../case.cuh"

namespace {

constexpr int kVariables = 4096, kObservations = 8192;

void check_blas(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuBLAS: %d\n", static_cast<int>(status));
  std::exit(9);
}

Case make() {
  constexpr std::size_t kIn = std::size_t{kVariables} * kObservations,
                        kOut = std::size_t{kVariables} * kVariables;
  auto* values = device_array<float>(kIn);
  auto* products = device_array<float>(kOut);
  fill_fractions(values, kIn, 1);
  CHECK(cudaMemset(products, 0, kOut * sizeof(float)));
  cublasHandle_t handle = nullptr;
  check_blas(cublasCreate(&handle));
  return {[=] {
            constexpr float kScale = 1.0F / kObservations, kZero = 0;
            check_blas(cublasSsyrk(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, kVariables, kObservations,
                                   &kScale, values, kVariables, &kZero, products, kVariables));
          },
          [=] { return device_sum(products, kOut); }, 100};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
