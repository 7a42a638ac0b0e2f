// A10, B3: data that lies along rows and is wanted along columns.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

// A matrix that is twice as wide as it is high, and its transpose.
constexpr unsigned kWide = 8192, kHigh = 4096;
constexpr unsigned kTile = 32, kTileThreads = 8;

__global__ void transpose_writing_columns(Word* out, const Word* in) {
  const unsigned x = thread_index(), y = blockIdx.y;
  out[x * kHigh + y] = in[y * kWide + x];  // fault: transpose_strided_writes
}

__global__ void transpose_reading_columns(Word* out, const Word* in) {
  const unsigned x = blockIdx.y, y = thread_index();
  out[x * kHigh + y] = in[y * kWide + x];  // fault: transpose_strided_reads
}

template <int Pitch>
__global__ void transpose_tiled(Word* out, const Word* in) {
  __shared__ Word tile[kTile][Pitch];
  const unsigned left = blockIdx.x * kTile, top = blockIdx.y * kTile;
#pragma unroll
  for (unsigned row = threadIdx.y; row < kTile; row += kTileThreads)
    tile[row][threadIdx.x] = in[(top + row) * kWide + left + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (unsigned column = threadIdx.y; column < kTile; column += kTileThreads) {
    const Word turned = tile[threadIdx.x][column];  // fault: transpose_unpadded
    out[(left + column) * kHigh + top + threadIdx.x] = turned;
  }
}

constexpr unsigned kSummedRows = 1024 * 1024, kSummedColumns = 32;

__global__ void sum_rows_directly(Word* out, const Word* in) {
  Word sum = 0;
#pragma unroll
  for (unsigned column = 0; column < kSummedColumns; ++column) {
    sum = sum * 3 + in[thread_index() * kSummedColumns + column];  // fault: corner_direct
  }
  out[thread_index()] = sum;
}

// Each warp has a tile. Volatile, or the words of a row are merged into wider reads.
template <int Pitch>
__global__ void sum_rows_turned(Word* out, const Word* in) {
  __shared__ volatile Word tiles[kThreads / kLanes][kLanes][Pitch];
  auto& tile = tiles[threadIdx.x / kLanes];
  const unsigned lane = threadIdx.x % kLanes;
  const Word* words = in + (thread_index() - lane) * kSummedColumns;
#pragma unroll
  for (unsigned row = 0; row < kLanes; ++row) tile[row][lane] = words[row * kSummedColumns + lane];
  __syncwarp();
  Word sum = 0;
#pragma unroll
  for (unsigned column = 0; column < kSummedColumns; ++column) {
    sum = sum * 3 + tile[lane][column];  // fault: corner_unpadded
  }
  out[thread_index()] = sum;
}

namespace {

using Kernel = void (*)(Word*, const Word*);

Computation transposed(Kernel kernel, dim3 grid, dim3 block) {
  constexpr std::int64_t kWords = std::int64_t{kWide} * kHigh;
  const SharedWords in = filled_words(kWords, InOrder());
  const SharedWords out = device_words(kWords);
  return {[=] { kernel<<<grid, block>>>(out.get(), in.get()); },
          [=] {
            return first_mistake(out.get(), {kWords}, [](std::int64_t i) {
              return input_word(i % kHigh * std::int64_t{kWide} + i / kHigh);
            });
          }};
}

Computation tiled(Kernel kernel) {
  return transposed(kernel, {kWide / kTile, kHigh / kTile}, {kTile, kTileThreads});
}

Computation strided_writes(Side side) {
  return side == Side::fault ? transposed(transpose_writing_columns, {kWide / 256, kHigh}, 256)
                             : tiled(transpose_tiled<33>);
}

Computation strided_reads(Side side) {
  return side == Side::fault ? transposed(transpose_reading_columns, {kHigh / 256, kWide}, 256)
                             : tiled(transpose_tiled<33>);
}

Computation unpadded(Side side) {
  return tiled(side == Side::fault ? transpose_tiled<32> : transpose_tiled<33>);
}

Computation row_sums(Kernel kernel) {
  const SharedWords in = filled_words(std::int64_t{kSummedRows} * kSummedColumns, InOrder());
  const SharedWords out = device_words(kSummedRows);
  return {[=] { kernel<<<blocks_of(kSummedRows), kBlockThreads>>>(out.get(), in.get()); },
          [=] {
            return first_mistake(out.get(), {kSummedRows}, [](std::int64_t row) {
              Word sum = 0;
              for (std::int64_t column = 0; column < kSummedColumns; ++column)
                sum = sum * 3 + input_word(row * kSummedColumns + column);
              return sum;
            });
          }};
}

}  // namespace

std::vector<TwinCode> transpose_twins() {
  return {{"transpose_strided_writes", strided_writes},
          {"transpose_strided_reads", strided_reads},
          {"transpose_unpadded", unpadded},
          {"corner_direct",
           [](Side side) { return row_sums(side == Side::fault ? sum_rows_directly : sum_rows_turned<33>); }},
          {"corner_unpadded", [](Side side) {
             return row_sums(side == Side::fault ? sum_rows_turned<32> : sum_rows_turned<33>);
           }}};
}

}  // namespace coalescope::kernels
