// A10: a matrix transposed, in the four ways of the textbooks. A block takes a tile of 32 x 32 words, each of
// its 32 x 8 threads four of them.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// Where a block's tile begins, in the matrix that is read.
struct Tile {
  unsigned column, row;
};
__device__ inline Tile tile_of_block() {
  return {blockIdx.x * kTileWords, blockIdx.y * kTileWords};
}

// Loads: 4 sectors a request, 100 %. Stores: each lane a row of its own, 32 sectors, 12.5 %.
__global__ void transpose_coalesced_reads(Word* out, const Word* in) {
  const Tile tile = tile_of_block();
#pragma unroll
  for (unsigned step = 0; step < kTileWords; step += kTileThreadRows) {
    const unsigned column = tile.column + threadIdx.x, row = tile.row + threadIdx.y + step;
    out[column * kMatrixWords + row] = in[row * kMatrixWords + column];
  }
}

// The other way round. To be preferred where both cannot be had: nothing waits for a store.
__global__ void transpose_coalesced_writes(Word* out, const Word* in) {
  const Tile tile = tile_of_block();
#pragma unroll
  for (unsigned step = 0; step < kTileWords; step += kTileThreadRows) {
    const unsigned row = tile.row + threadIdx.x, column = tile.column + threadIdx.y + step;
    out[column * kMatrixWords + row] = in[row * kMatrixWords + column];
  }
}

// 4 sectors a request on both sides, 100 %: the corner is turned in shared memory. There a column is read
// whose words are Pitch apart: gcd(Pitch, 32) wavefronts a request.
template <unsigned Pitch>
__device__ inline void transpose_tile(Word* out, const Word* in) {
  __shared__ Word words[kTileWords][Pitch];
  const Tile tile = tile_of_block();
#pragma unroll
  for (unsigned step = 0; step < kTileWords; step += kTileThreadRows) {
    const unsigned column = tile.column + threadIdx.x, row = tile.row + threadIdx.y + step;
    words[threadIdx.y + step][threadIdx.x] = in[row * kMatrixWords + column];
  }
  __syncthreads();
#pragma unroll
  for (unsigned step = 0; step < kTileWords; step += kTileThreadRows) {
    const unsigned row = tile.row + threadIdx.x, column = tile.column + threadIdx.y + step;
    out[column * kMatrixWords + row] = words[threadIdx.x][threadIdx.y + step];
  }
}

// All words of a column lie in one bank: 32 wavefronts.
__global__ void transpose_tiled(Word* out, const Word* in) {
  transpose_tile<kTileWords>(out, in);
}

// One column more, and they lie in 32 banks: 1 wavefront.
__global__ void transpose_padded(Word* out, const Word* in) {
  transpose_tile<kTileWords + 1>(out, in);
}

namespace {

using Kernel = void (*)(Word*, const Word*);

Pattern pattern_of(std::string id, Kernel kernel) {
  return {std::move(id),
          [kernel](const Arrays& arrays) {
            const dim3 grid(kMatrixWords / kTileWords, kMatrixWords / kTileWords);
            const dim3 block(kTileWords, kTileThreadRows);
            kernel<<<grid, block>>>(arrays.device.output, arrays.device.input);
          },
          [](std::int64_t i) { return input_word(i % kMatrixWords * kMatrixWords + i / kMatrixWords); }};
}

}  // namespace

std::vector<Pattern> transpose_patterns() {
  return {pattern_of("transpose_coalesced_reads", transpose_coalesced_reads),
          pattern_of("transpose_coalesced_writes", transpose_coalesced_writes),
          pattern_of("transpose_tiled", transpose_tiled), pattern_of("transpose_padded", transpose_padded)};
}

}  // namespace coalescope::kernels
