// A matrix of a million rows with 32 entries each, in a band around the diagonal, times a vector.
// Nothing is wrong: a call of the library. As NVIDIA/CUDALibrarySamples, cuSPARSE/spmv_csr, shows it.
#include <cusparse.h>

#include "../case.cuh"

namespace {

constexpr int kRows = 1 << 20, kOwn = 32, kEntries = kRows * kOwn;

void check(cusparseStatus_t status) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuSPARSE: %s\n", cusparseGetErrorString(status));
  std::exit(9);
}

__global__ void fill_pattern(int* offsets, int* columns) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = i / kOwn, first = min(max(row - kOwn / 2, 0), kRows - kOwn);
  columns[i] = first + i % kOwn;
  if (i <= kRows) offsets[i] = i * kOwn;
}

struct Product {
  cusparseHandle_t handle;
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t vector, out;
};

Case make() {
  auto* offsets = device_array<int>(kRows + 1);
  auto* columns = device_array<int>(kEntries);
  auto* entries = device_array<float>(kEntries);
  auto* vector = device_array<float>(kRows);
  auto* out = device_array<float>(kRows);
  fill_pattern<<<kEntries / 256, 256>>>(offsets, columns);
  fill_fractions(entries, kEntries, 1);
  fill_fractions(vector, kRows, 2);
  Product p{};
  check(cusparseCreate(&p.handle));
  check(cusparseCreateCsr(&p.matrix, kRows, kRows, kEntries, offsets, columns, entries, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  check(cusparseCreateDnVec(&p.vector, kRows, vector, CUDA_R_32F));
  check(cusparseCreateDnVec(&p.out, kRows, out, CUDA_R_32F));
  const float one = 1, zero = 0;
  std::size_t bytes = 0;
  check(cusparseSpMV_bufferSize(p.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, p.matrix, p.vector, &zero,
                                p.out, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
  auto* storage = device_array<unsigned char>(std::max<std::size_t>(bytes, 1));
  return {[=] {
            check(cusparseSpMV(p.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, p.matrix, p.vector, &zero,
                               p.out, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, storage));
          },
          [=] { return device_sum(out, kRows); }, 3000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
