// Copies a batch of transposed matrices of halves into contiguous ones, as a graph of tensors does after
// `permute`. At fault: a thread per element in the order of the result, so that neighbouring lanes read words
// a row apart. The pattern is that of ggml-org/llama.cpp, ggml/src/ggml-cuda/cpy.cu, before and after pull
// request 16841.
#include <cuda_fp16.h>

#include "../case.cuh"

namespace {

constexpr int kBatch = 32, kRows = 2048, kColumns = 1024, kTile = 64, kThreadRows = 8;

// The result has `rows` elements in a row of its own and `columns` such rows; `in` is the other way round.
__global__ void copy_scalar(__half* out, const __half* in, unsigned rows, unsigned columns,
                            unsigned elements) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  const unsigned matrix = i / (rows * columns), within = i - matrix * rows * columns;
  const unsigned column = within / rows, row = within - column * rows;
  out[i] = in[matrix * rows * columns + row * columns + column];  // fault
}

// Pairs of halves on both sides. The exclusive or spreads a column of pairs over the banks.
__global__ void copy_tiles(__half2* out, const __half2* in, int rows, int columns) {
  __shared__ __half2 tile[kTile][kTile / 2];
  const unsigned x = threadIdx.x;
  const std::size_t matrix = static_cast<std::size_t>(blockIdx.z) * rows * columns / 2;
  const unsigned row = blockIdx.y * kTile, pair = blockIdx.x * kTile / 2;
  for (unsigned r = threadIdx.y; r < kTile; r += kThreadRows) {
    tile[r][x ^ (r / 2)] = in[matrix + static_cast<std::size_t>(row + r) * (columns / 2) + pair + x];
  }
  __syncthreads();
  for (unsigned c = threadIdx.y; c < kTile / 2; c += kThreadRows) {
    const __half2 upper = tile[2 * x][c ^ x], lower = tile[2 * x + 1][c ^ x];
    const std::size_t to = matrix + static_cast<std::size_t>(2 * (pair + c)) * (rows / 2) + row / 2 + x;
    out[to] = __lows2half2(upper, lower);
    out[to + rows / 2] = __highs2half2(upper, lower);
  }
}

__global__ void fill_halves(__half* out, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2half(mixed_fraction(static_cast<unsigned>(i)));
}

// Each element by its place, so that a wrong order shows.
__global__ void weigh(float* out, const __half* in, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __half2float(in[i]) * static_cast<float>(i % 97);
}

Case make(bool scalar) {
  static_assert(kRows % kTile == 0 && kColumns % kTile == 0);
  constexpr std::size_t kElements = static_cast<std::size_t>(kBatch) * kRows * kColumns, kSummed = 4096;
  __half* in = device_array<__half>(kElements);
  __half* out = device_array<__half>(kElements);
  fill_halves<<<blocks_for(kElements, 256), 256>>>(in, kElements);
  return {[=] {
            if (scalar) {
              copy_scalar<<<blocks_for(kElements, 256), 256>>>(out, in, kRows, kColumns, kElements);
            } else {
              copy_tiles<<<dim3(kColumns / kTile, kRows / kTile, kBatch), dim3(kTile / 2, kThreadRows)>>>(
                  reinterpret_cast<__half2*>(out), reinterpret_cast<const __half2*>(in), kRows, kColumns);
            }
          },
          [=] {
            float* weighed = device_array<float>(kSummed);
            weigh<<<blocks_for(kSummed, 256), 256>>>(weighed, out + kElements / 2, kSummed);
            return device_sum(weighed, kSummed);
          },
          1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
