// Products of matrices of 4096 x 4096 halves.
// Nothing is wrong: a call of the library. As NVIDIA/CUDALibrarySamples, cuBLAS/Extensions/GemmEx, shows it.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "../case.cuh"

namespace {

constexpr int kSize = 4096;

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuBLAS: %d\n", static_cast<int>(status));
  std::exit(9);
}

__global__ void fill_halves(__half2* values, unsigned seed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = __floats2half2_rn(mixed_fraction(i + seed) / 64, mixed_fraction(i + seed + (1U << 30)) / 64);
}

Case make() {
  constexpr std::size_t kAll = std::size_t{kSize} * kSize;
  auto* a = device_array<__half>(kAll);
  auto* b = device_array<__half>(kAll);
  auto* c = device_array<float>(kAll);
  fill_halves<<<kAll / 2 / 256, 256>>>(reinterpret_cast<__half2*>(a), 1);
  fill_halves<<<kAll / 2 / 256, 256>>>(reinterpret_cast<__half2*>(b), 2);
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle));
  return {[=] {
            const float one = 1, zero = 0;
            check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, &one, a, CUDA_R_16F,
                               kSize, b, CUDA_R_16F, kSize, &zero, c, CUDA_R_32F, kSize, CUBLAS_COMPUTE_32F,
                               CUBLAS_GEMM_DEFAULT));
          },
          [=] { return device_sum(c, std::size_t{1} << 22); }, 1500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
