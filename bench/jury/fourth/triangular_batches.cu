// Solves 8192 triangular systems of 64 x 64 with 64 right sides each.
// Nothing is wrong: a call of the library, and a copy on the device of the right sides that it overwrites.
// As NVIDIA/CUDALibrarySamples, cuBLAS/Level-3/trsmBatched, shows it.
#include <cublas_v2.h>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kSystems = 8192, kSize = 64, kWords = kSize * kSize;
constexpr std::size_t kAll = std::size_t{kSystems} * kWords;

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuBLAS: %s\n", cublasGetStatusString(status));
  std::exit(9);
}

__global__ void strengthen_diagonals(float* matrices) {
  matrices[std::size_t{blockIdx.x} * kWords + threadIdx.x * (kSize + 1)] += 8;
}

float** pointers_to(float* matrices) {
  std::vector<float*> host(kSystems);
  for (std::size_t k = 0; k < host.size(); ++k) host[k] = matrices + k * kWords;
  auto** device = device_array<float*>(kSystems);
  CHECK(cudaMemcpy(device, host.data(), kSystems * sizeof(float*), cudaMemcpyHostToDevice));
  return device;
}

Case make() {
  auto* matrices = device_array<float>(kAll);
  auto* right = device_array<float>(kAll);
  auto* solved = device_array<float>(kAll);
  fill_fractions(matrices, kAll, 1);
  fill_fractions(right, kAll, 2);
  strengthen_diagonals<<<kSystems, kSize>>>(matrices);
  float **lower = pointers_to(matrices), **sides = pointers_to(solved);
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle));
  return {[=] {
            const float one = 1;
            CHECK(cudaMemcpyAsync(solved, right, kAll * sizeof(float), cudaMemcpyDeviceToDevice));
            check(cublasStrsmBatched(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                                     CUBLAS_DIAG_NON_UNIT, kSize, kSize, &one, lower, kSize, sides, kSize,
                                     kSystems));
          },
          [=] { return device_sum(solved, kAll); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
