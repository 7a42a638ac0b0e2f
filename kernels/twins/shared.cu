// B1, B2: reads of shared memory in which lanes meet in a bank, and in which they only share a word.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

constexpr std::int64_t kWalkThreads = 2048 * kBlockThreads;
constexpr unsigned kWalkPasses = 1024;

// A row of `Words` words for each thread of the block; neighbouring lanes are in neighbouring rows, and all
// in the same column. Volatile, or neighbouring words are merged into wider reads.
template <int Words, int Pitch>
__global__ void walk_rows(Word* out, const Word* in) {
  constexpr unsigned kWords = Words;
  __shared__ volatile Word rows[kThreads][Pitch];
  const Word* words = in + blockIdx.x * (kThreads * kWords);
#pragma unroll
  for (unsigned i = threadIdx.x; i < kThreads * kWords; i += kThreads)
    rows[i / kWords][i % kWords] = words[i];
  __syncthreads();
  Word sum = 0;
#pragma unroll 8
  for (unsigned pass = 0; pass < kWalkPasses; ++pass) {
    const unsigned row = (threadIdx.x + pass) % kThreads;
    sum = sum * 3 + rows[row][pass % kWords];  // fault: shared_rows_2 shared_rows_8 shared_rows_32
  }
  out[thread_index()] = sum;
}

constexpr unsigned kTileRows = 16, kTileColumns2D = 32;
constexpr unsigned kTile2D = kTileRows * kTileColumns2D;

// Each warp has a tile, and takes half of two columns' lanes a read: a pitch of 33 would leave conflicts
// of 2.
template <int Pitch>
__global__ void walk_columns(Word* out, const Word* in) {
  __shared__ volatile Word tiles[kThreads / kLanes][kTileRows][Pitch];
  auto& tile = tiles[threadIdx.x / kLanes];
  const unsigned lane = threadIdx.x % kLanes;
  const Word* words = in + thread_index() / kLanes * kTile2D;
#pragma unroll
  for (unsigned row = 0; row < kTileRows; ++row) tile[row][lane] = words[row * kTileColumns2D + lane];
  __syncwarp();
  Word sum = 0;
#pragma unroll 8
  for (unsigned pass = 0; pass < kWalkPasses; ++pass) {
    const unsigned column = (2 * pass + lane / kTileRows) % kTileColumns2D;
    sum = sum * 3 + tile[lane % kTileRows][column];  // fault: rectangular_tile
  }
  out[thread_index()] = sum;
}

constexpr std::int64_t kDoubledWords = 16 * kMiB;

// Each word is written twice, side by side.
__global__ void double_through_shared(Word* out, const Word* in) {
  __shared__ Word words[kThreads];
  words[threadIdx.x] = in[thread_index()];
  __syncthreads();
  Word* doubled = out + 2 * kThreads * blockIdx.x;
  doubled[threadIdx.x] = words[threadIdx.x / 2];
  doubled[kThreads + threadIdx.x] = words[(kThreads + threadIdx.x) / 2];
}
// Without shared memory: a warp's words are doubled to twice as many that lie side by side, too.
__global__ void double_by_shuffles(Word* out, const Word* in) {
  const Word word = in[thread_index()];
  const unsigned lane = threadIdx.x % kLanes;
  Word* doubled = out + 2 * (thread_index() - lane);
  doubled[lane] = __shfl_sync(0xFFFFFFFFU, word, static_cast<int>(lane / 2));
  doubled[kLanes + lane] = __shfl_sync(0xFFFFFFFFU, word, static_cast<int>((kLanes + lane) / 2));
}

namespace {

using Kernel = void (*)(Word*, const Word*);

template <int Words>
Computation walked_rows(Kernel kernel) {
  const SharedWords in = filled_words(kWalkThreads * Words, InOrder());
  const SharedWords out = device_words(kWalkThreads);
  return {[=] { kernel<<<blocks_of(kWalkThreads), kBlockThreads>>>(out.get(), in.get()); },
          [=] {
            return first_mistake(out.get(), {kWalkThreads, 257}, [](std::int64_t i) {
              const std::int64_t first_of_block = i - i % kBlockThreads;
              Word sum = 0;
              for (std::int64_t pass = 0; pass < kWalkPasses; ++pass)
                sum = sum * 3 +
                      input_word((first_of_block + (i + pass) % kBlockThreads) * Words + pass % Words);
              return sum;
            });
          }};
}

Computation walked_columns(Kernel kernel) {
  const SharedWords in = filled_words(kWalkThreads / kWarpThreads * kTile2D, InOrder());
  const SharedWords out = device_words(kWalkThreads);
  return {[=] { kernel<<<blocks_of(kWalkThreads), kBlockThreads>>>(out.get(), in.get()); },
          [=] {
            return first_mistake(out.get(), {kWalkThreads, 257}, [](std::int64_t i) {
              const std::int64_t lane = i % kWarpThreads, row = lane % kTileRows;
              const std::int64_t first = i / kWarpThreads * kTile2D + row * kTileColumns2D;
              Word sum = 0;
              for (std::int64_t pass = 0; pass < kWalkPasses; ++pass)
                sum = sum * 3 + input_word(first + (2 * pass + lane / kTileRows) % kTileColumns2D);
              return sum;
            });
          }};
}

Computation doubled(Kernel kernel) {
  const SharedWords in = filled_words(kDoubledWords, InOrder());
  const SharedWords out = device_words(2 * kDoubledWords);
  return {[=] { kernel<<<blocks_of(kDoubledWords), kBlockThreads>>>(out.get(), in.get()); },
          [=] {
            return first_mistake(out.get(), {2 * kDoubledWords},
                                 [](std::int64_t i) { return input_word(i / 2); });
          }};
}

template <int Words>
Computation padded_or_not(Side side) {
  return walked_rows<Words>(side == Side::fault ? walk_rows<Words, Words> : walk_rows<Words, Words + 1>);
}

}  // namespace

std::vector<TwinCode> shared_twins() {
  return {
      {"shared_rows_2", padded_or_not<2>},
      {"shared_rows_8", padded_or_not<8>},
      {"shared_rows_32", padded_or_not<32>},
      {"rectangular_tile",
       [](Side side) { return walked_columns(side == Side::fault ? walk_columns<32> : walk_columns<34>); }},
      {"shared_multicast",
       [](Side side) { return doubled(side == Side::fault ? double_through_shared : double_by_shuffles); }}};
}

}  // namespace coalescope::kernels
