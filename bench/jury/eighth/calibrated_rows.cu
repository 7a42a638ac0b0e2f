// Calibrates eight layers of 8192 x 16,384 quantised activations of one byte: the largest, the smallest and
// the sum of each row, and from them the next scale and offset of the row.
// At fault: a thread reads one byte at a time, so that a warp reads 32 bytes. The pattern is that of
// tensorflow/tensorflow, pull request 36752: rows of eight-bit values are reduced several at once, three
// times as fast.
#include <array>

#include "../case.cuh"

namespace {

constexpr int kLayers = 8, kRows = 8192, kColumns = 16384, kThreads = 256, kWarps = kThreads / 32;
constexpr int kRounds = 3000;
constexpr std::size_t kValues = std::size_t{kRows} * kColumns;

struct Statistics {
  int most, least, sum;
};

__device__ Statistics joined(const Statistics& one, const Statistics& other) {
  return {max(one.most, other.most), min(one.least, other.least), one.sum + other.sum};
}

// Of the block; the result is the first thread's.
__device__ Statistics joined_by_block(Statistics own) {
  __shared__ Statistics parts[kWarps];
  own.most = __reduce_max_sync(0xffffffffU, own.most);
  own.least = __reduce_min_sync(0xffffffffU, own.least);
  own.sum = __reduce_add_sync(0xffffffffU, own.sum);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < kWarps; ++warp) own = joined(own, parts[warp]);
  }
  return own;
}

__global__ void __launch_bounds__(kThreads)
    statistics_by_values(Statistics* statistics, const signed char* values, int columns) {
  const signed char* row = values + static_cast<std::size_t>(blockIdx.x) * columns;
  Statistics own{-128, 127, 0};
  for (int column = static_cast<int>(threadIdx.x); column < columns; column += kThreads) {
    const int value = row[column];  // fault
    own = joined(own, {value, value, value});
  }
  own = joined_by_block(own);
  if (threadIdx.x == 0) statistics[blockIdx.x] = own;
}

__device__ int most_of(unsigned four) {
  const auto byte = [=](int i) { return static_cast<int>(static_cast<signed char>(four >> (8 * i))); };
  return max(max(byte(0), byte(1)), max(byte(2), byte(3)));
}

__device__ int least_of(unsigned four) {
  const auto byte = [=](int i) { return static_cast<int>(static_cast<signed char>(four >> (8 * i))); };
  return min(min(byte(0), byte(1)), min(byte(2), byte(3)));
}

__global__ void __launch_bounds__(kThreads)
    statistics_by_words(Statistics* statistics, const signed char* values) {
  constexpr int kPieces = kColumns / sizeof(int4) / kThreads;
  const int4* row = reinterpret_cast<const int4*>(values + std::size_t{blockIdx.x} * kColumns) + threadIdx.x;
  unsigned most = 0x80808080U, least = 0x7f7f7f7fU;
  int sum = 0;
  int4 pieces[kPieces];
#pragma unroll
  for (int piece = 0; piece < kPieces; ++piece) pieces[piece] = row[piece * kThreads];
#pragma unroll
  for (const int4& piece : pieces) {
    for (const int four : {piece.x, piece.y, piece.z, piece.w}) {
      most = __vmaxs4(most, static_cast<unsigned>(four));
      least = __vmins4(least, static_cast<unsigned>(four));
      sum = __dp4a(four, 0x01010101, sum);
    }
  }
  const Statistics all = joined_by_block({most_of(most), least_of(least), sum});
  if (threadIdx.x == 0) statistics[blockIdx.x] = all;
}

// Scales follow the rows slowly.
__global__ void follow(float2* scales, const Statistics* statistics) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  const Statistics own = statistics[row];
  const float spread = static_cast<float>(own.most - own.least) / 255.0F;
  const float mean = static_cast<float>(own.sum) / kColumns;
  const float2 scale = scales[row];
  scales[row] = make_float2(0.9F * scale.x + 0.1F * spread, 0.9F * scale.y + 0.1F * mean);
}

Case make(bool by_values) {
  std::array<signed char*, kLayers> layers{};
  for (unsigned layer = 0; layer < kLayers; ++layer) {
    layers[layer] = device_array<signed char>(kValues);
    fill_below(layers[layer], kValues, 100 + 8 * layer, layer);
  }
  auto* statistics = device_array<Statistics>(std::size_t{kLayers} * kRows);
  auto* scales = device_array<float2>(std::size_t{kLayers} * kRows);
  CHECK(cudaMemset(scales, 0, sizeof(float2) * kLayers * kRows));
  return {[=] {
            for (int layer = 0; layer < kLayers; ++layer) {
              Statistics* own = statistics + layer * kRows;
              if (by_values) {
                statistics_by_values<<<kRows, kThreads>>>(own, layers[layer], kColumns);
              } else {
                statistics_by_words<<<kRows, kThreads>>>(own, layers[layer]);
              }
            }
            follow<<<kLayers * kRows / kThreads, kThreads>>>(scales, statistics);
          },
          [=] { return device_sum(reinterpret_cast<float*>(scales), std::size_t{2} * kLayers * kRows); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
