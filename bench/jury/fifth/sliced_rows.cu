// A sparse matrix of 2 million rows times a vector; 32 rows form a slice of 8 to 23 entries a row.
// Nothing is wrong: the entries of a slice lie column by column, so that neighbouring lanes read neighbouring
// words, and neighbouring rows want neighbouring words of the vector. After ginkgo-project/ginkgo,
// common/cuda_hip/matrix/sellp_kernels.cpp.
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kRows = 1 << 21, kSlice = 32, kSlices = kRows / kSlice, kThreads = 256, kShortest = 8;

struct Matrix {
  int *starts, *columns;  // starts: a slice's first column of entries, and behind the last slice their number
  float* values;
};

// Bands on both sides of the diagonal, as of a grid of 128 x 128 x 128.
__device__ int column_of(int row, int entry) {
  constexpr int kSteps[12] = {0, 1, 128, 129, 127, 16384, 16385, 16383, 16512, 16511, 16513, 16256};
  const int step = kSteps[entry / 2], far = entry % 2 == 0 ? step : -step;
  return (row + far) & (kRows - 1);
}

// A warp a slice.
__global__ void fill_slices(Matrix matrix) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), slice = row / kSlice;
  const int first = matrix.starts[slice], length = matrix.starts[slice + 1] - first;
  for (int k = 0; k < length; ++k) {
    const int at = (first + k) * kSlice + row % kSlice;
    matrix.columns[at] = column_of(row, k);
    matrix.values[at] = mixed_fraction(static_cast<unsigned>(at));
  }
}

__global__ void multiply_slices(float* out, Matrix matrix, const float* vector) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), slice = row / kSlice;
  const int first = matrix.starts[slice], length = matrix.starts[slice + 1] - first;
  const std::size_t at = static_cast<std::size_t>(first) * kSlice + static_cast<std::size_t>(row % kSlice);
  const int* columns = matrix.columns + at;
  const float* values = matrix.values + at;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < length; ++k) sum += values[k * kSlice] * vector[columns[k * kSlice]];
  out[row] = sum;
}

Case make() {
  std::vector<int> starts(kSlices + 1, 0);
  for (int slice = 0; slice < kSlices; ++slice)
    starts[static_cast<std::size_t>(slice) + 1] =
        starts[static_cast<std::size_t>(slice)] + kShortest +
        static_cast<int>(mixed_bits(static_cast<unsigned>(slice)) % 16);
  const std::size_t entries = static_cast<std::size_t>(starts.back()) * kSlice;
  const Matrix matrix{device_array<int>(kSlices + 1), device_array<int>(entries),
                      device_array<float>(entries)};
  CHECK(cudaMemcpy(matrix.starts, starts.data(), starts.size() * sizeof(int), cudaMemcpyHostToDevice));
  auto* vector = device_array<float>(kRows);
  auto* out = device_array<float>(kRows);
  fill_fractions(vector, kRows, 2);
  fill_slices<<<kRows / kThreads, kThreads>>>(matrix);
  return {[=] { multiply_slices<<<kRows / kThreads, kThreads>>>(out, matrix, vector); },
          [=] { return device_sum(out, kRows); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
