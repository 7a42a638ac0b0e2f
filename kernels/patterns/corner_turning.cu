// B3: data that lies along rows and is used along columns. Each lane of a warp adds up a row of its own.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// Tiles lie one behind the other: 32 rows each, of kColumns words.
template <int Columns>
__device__ inline unsigned first_word_of_tile() {
  return thread_index() / kWarpThreads * (kWarpThreads * Columns);
}

// Each lane walks along its own row: 32 sectors a request, 12.5 %, although every sector is used in the end.
__global__ void corner_direct(Word* out, const Word* in) {
  constexpr int kColumns = 32;
  const unsigned lane = threadIdx.x % kWarpThreads;
  const Word* row = in + first_word_of_tile<kColumns>() + lane * kColumns;
  Word sum = 0;
#pragma unroll
  for (int column = 0; column < kColumns; ++column) sum = sum * 3 + row[column];
  out[thread_index()] = sum;
}

// The warp loads row by row, 4 sectors a request and 100 %, and each lane walks along its row in shared
// memory: gcd(Pitch, 32) wavefronts a request. Rows of 16 words are loaded by two, and written to shared
// memory in 1 wavefront without padding, in 2 with it: the second row's last word falls into the first row's
// first bank.
template <int Pitch>
__global__ void corner_turned(Word* out, const Word* in) {
  constexpr int kColumns = kTileColumns<Pitch>;
  constexpr int kRowsAtOnce = kWarpThreads / kColumns;
  // Volatile, or the words of a row are merged into wider reads.
  __shared__ volatile Word tiles[kBlockThreads / kWarpThreads][kWarpThreads][Pitch];
  auto& tile = tiles[threadIdx.x / kWarpThreads];
  const unsigned lane = threadIdx.x % kWarpThreads;
  const Word* words = in + first_word_of_tile<kColumns>();
#pragma unroll
  for (int row = 0; row < kWarpThreads; row += kRowsAtOnce)
    tile[row + lane / kColumns][lane % kColumns] = words[row * kColumns + lane];
  __syncwarp();
  Word sum = 0;
#pragma unroll
  for (int column = 0; column < kColumns; ++column) sum = sum * 3 + tile[lane][column];
  out[thread_index()] = sum;
}

namespace {

using Kernel = void (*)(Word*, const Word*);

Pattern pattern_of(std::string id, Kernel kernel, int columns, std::int64_t threads) {
  return {std::move(id),
          [kernel, threads](const Arrays& arrays) {
            kernel<<<blocks_of(threads), kBlockThreads>>>(arrays.device.output, arrays.device.input);
          },
          [columns, threads](std::int64_t row) -> std::optional<Word> {
            if (row >= threads) return std::nullopt;
            Word sum = 0;
            for (int column = 0; column < columns; ++column)
              sum = sum * 3 + input_word(row * columns + column);
            return sum;
          }};
}

template <int Pitch>
Pattern turned_pattern() {
  return pattern_of("corner_turned/" + std::to_string(Pitch), corner_turned<Pitch>, tile_columns(Pitch),
                    corner_threads(Pitch));
}

}  // namespace

std::vector<Pattern> corner_patterns() {
  return {pattern_of("corner_direct", corner_direct, 32, corner_threads(32)), turned_pattern<16>(),
          turned_pattern<17>(), turned_pattern<32>(), turned_pattern<33>()};
}

}  // namespace coalescope::kernels
