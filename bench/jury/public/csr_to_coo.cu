// Writes the row of each of 33 million entries of a sparse matrix with 16,384 rows.
// At fault: a thread takes a row, so that the lanes of a warp write words 8 KB apart, in 16 blocks. The
// pattern is that of dmlc/dgl, src/array/cuda/csr2coo.cu, whose kernel issue 3457 asks to let neighbouring
// threads write neighbours.
#include "../case.cuh"

namespace {

constexpr int kRows = 16384, kThreads = 1024, kShortest = 1536, kLengths = 1024, kRounds = 500;

__global__ void repeat_by_row(int* rows, const int* offsets) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int end = offsets[row + 1];
  for (int entry = offsets[row]; entry < end; ++entry) rows[entry] = row;  // fault
}

__global__ void repeat_by_entry(int* rows, const int* offsets) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int end = offsets[row + 1];
  for (int entry = offsets[row] + static_cast<int>(threadIdx.x % 32); entry < end; entry += 32) {
    rows[entry] = row;
  }
}

int* made_offsets(int* entries) {
  auto* host = pinned_array<int>(kRows + 1);
  host[0] = 0;
  for (int row = 0; row < kRows; ++row) {
    host[row + 1] =
        host[row] + kShortest + static_cast<int>(mixed_bits(static_cast<unsigned>(row)) % kLengths);
  }
  *entries = host[kRows];
  auto* offsets = device_array<int>(kRows + 1);
  CHECK(cudaMemcpy(offsets, host, (kRows + 1) * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(host));
  return offsets;
}

Case make(bool by_row) {
  int entries = 0;
  auto* offsets = made_offsets(&entries);
  auto* rows = device_array<int>(static_cast<std::size_t>(entries));
  return {[=] {
            if (by_row) {
              repeat_by_row<<<kRows / kThreads, kThreads>>>(rows, offsets);
            } else {
              repeat_by_entry<<<kRows / 8, 256>>>(rows, offsets);
            }
          },
          [=] { return device_sum(rows, static_cast<std::size_t>(entries)); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
