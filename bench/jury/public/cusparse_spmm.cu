// A sparse matrix of 262,144 rows with 32 entries each, times a dense one with 64 columns.
// Nothing is wrong: the library does it, and the rows of the dense matrix are contiguous. The pattern is that
// of NVIDIA/CUDALibrarySamples, cuSPARSE/spmm_csr.
#include <cusparse.h>

#include "../case.cuh"

namespace {

constexpr int kRows = 1 << 18, kEntries = 32, kColumns = 64;
constexpr std::int64_t kAll = std::int64_t{kRows} * kEntries;

void check_sparse(cusparseStatus_t status) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuSPARSE: %s\n", cusparseGetErrorString(status));
  std::exit(9);
}

// Entries lie near the diagonal, as they do in the matrix of a mesh, in ascending order.
__global__ void fill_rows(int* offsets, int* columns) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i <= kRows) offsets[i] = i * kEntries;
  if (i >= kRows) return;
  const int first = min(max(i - 48, 0), kRows - 3 * kEntries);
  for (int k = 0; k < kEntries; ++k) columns[i * kEntries + k] = first + 3 * k;
}

Case make() {
  auto* offsets = device_array<int>(kRows + 1);
  auto* columns = device_array<int>(static_cast<std::size_t>(kAll));
  auto* values = device_array<float>(static_cast<std::size_t>(kAll));
  auto* b = device_array<float>(std::size_t{kRows} * kColumns);
  auto* c = device_array<float>(std::size_t{kRows} * kColumns);
  fill_rows<<<blocks_for(kRows + 1, 256), 256>>>(offsets, columns);
  fill_fractions(values, static_cast<std::size_t>(kAll), 1);
  fill_fractions(b, std::size_t{kRows} * kColumns, 2);
  cusparseHandle_t handle = nullptr;
  check_sparse(cusparseCreate(&handle));
  cusparseSpMatDescr_t matrix = nullptr;
  check_sparse(cusparseCreateCsr(&matrix, kRows, kRows, kAll, offsets, columns, values, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  cusparseDnMatDescr_t dense = nullptr, product = nullptr;
  check_sparse(cusparseCreateDnMat(&dense, kRows, kColumns, kColumns, b, CUDA_R_32F, CUSPARSE_ORDER_ROW));
  check_sparse(cusparseCreateDnMat(&product, kRows, kColumns, kColumns, c, CUDA_R_32F, CUSPARSE_ORDER_ROW));
  static constexpr float kOne = 1, kZero = 0;
  std::size_t bytes = 0;
  check_sparse(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                       CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, matrix, dense, &kZero,
                                       product, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, &bytes));
  auto* buffer = device_array<unsigned char>(std::max<std::size_t>(bytes, 16));
  return {[=] {
            check_sparse(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                      CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, matrix, dense, &kZero, product,
                                      CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, buffer));
          },
          [=] { return device_sum(c, std::size_t{1} << 22); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
