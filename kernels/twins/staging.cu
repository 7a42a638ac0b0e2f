// B4: from global to shared memory. Through registers costs nothing where other warps have work meanwhile,
// and the whole way to memory where they have not and nothing was asked for ahead.

#include <cuda_pipeline.h>

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

constexpr unsigned kReversed = 8;  // elements of 16 bytes for each thread
constexpr std::int64_t kReversedElements = 8 * kMiB;

__device__ inline void write_back_to_front(uint4* out, const uint4 (&elements)[kReversed][kThreads]) {
#pragma unroll
  for (unsigned k = 0; k < kReversed; ++k)
    out[k * kThreads + threadIdx.x] = elements[k][kThreads - 1 - threadIdx.x];
}

__global__ void reverse_through_registers(uint4* out, const uint4* in) {
  __shared__ uint4 elements[kReversed][kThreads];
  const unsigned first = blockIdx.x * kThreads * kReversed;
#pragma unroll
  for (unsigned k = 0; k < kReversed; ++k) elements[k][threadIdx.x] = in[first + k * kThreads + threadIdx.x];
  __syncthreads();
  write_back_to_front(out + first, elements);
}

__global__ void reverse_asynchronously(uint4* out, const uint4* in) {
  __shared__ uint4 elements[kReversed][kThreads];
  const unsigned first = blockIdx.x * kThreads * kReversed;
#pragma unroll
  for (unsigned k = 0; k < kReversed; ++k)
    __pipeline_memcpy_async(&elements[k][threadIdx.x], &in[first + k * kThreads + threadIdx.x],
                            sizeof(uint4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  write_back_to_front(out + first, elements);
}

// A block goes over every gridDim.x-th tile, and each of its threads over 32 words of it.
constexpr unsigned kTiles = 32 * 1024, kTileElements = kThreads, kTileSteps = 32, kAhead = 4;
constexpr unsigned kWordsOfTile = kTileElements * 4;

// Lane by lane through the banks.
__device__ inline Word weighed(const uint4 (&tile)[kTileElements]) {
  const Word* words = reinterpret_cast<const Word*>(tile);
  Word sum = 0;
#pragma unroll
  for (unsigned step = 0; step < kTileSteps; ++step)
    sum = sum * 3 + words[(threadIdx.x + step * kLanes) % kWordsOfTile];
  return sum;
}

__global__ void weigh_tiles_in_turn(Word* out, const uint4* in) {
  __shared__ uint4 tile[kTileElements];
  for (unsigned number = blockIdx.x; number < kTiles; number += gridDim.x) {
    tile[threadIdx.x] = in[number * kTileElements + threadIdx.x];  // fault: staged_in_turn
    __syncthreads();
    out[number * kThreads + threadIdx.x] = weighed(tile);
    __syncthreads();
  }
}

__device__ inline void fetch(uint4 (&tile)[kTileElements], const uint4* in, unsigned number) {
  if (number < kTiles)
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[number * kTileElements + threadIdx.x], sizeof(uint4));
  __pipeline_commit();  // an empty one keeps the count of those to wait for
}

__global__ void weigh_tiles_ahead(Word* out, const uint4* in) {
  __shared__ uint4 tiles[kAhead][kTileElements];
  for (unsigned k = 0; k + 1 < kAhead; ++k) fetch(tiles[k], in, blockIdx.x + k * gridDim.x);
  unsigned turn = 0;
  for (unsigned number = blockIdx.x; number < kTiles; number += gridDim.x, ++turn) {
    __pipeline_wait_prior(kAhead - 2);
    __syncthreads();  // also: all are done with the tile that is overwritten next
    fetch(tiles[(turn + kAhead - 1) % kAhead], in, number + (kAhead - 1) * gridDim.x);
    out[number * kThreads + threadIdx.x] = weighed(tiles[turn % kAhead]);
  }
}

namespace {

uint4* elements_of(const SharedWords& words) {
  return reinterpret_cast<uint4*>(words.get());
}

Computation staged_once(Side side) {
  const SharedWords in = filled_words(kReversedElements * 4, InOrder());
  const SharedWords out = device_words(kReversedElements * 4);
  const auto kernel = side == Side::fault ? reverse_through_registers : reverse_asynchronously;
  return {[=] {
            kernel<<<blocks_of(kReversedElements / kReversed), kBlockThreads>>>(elements_of(out),
                                                                                elements_of(in));
          },
          [=] {
            return first_mistake(out.get(), {kReversedElements * 4}, [](std::int64_t i) {
              const std::int64_t element = i / 4, lane = element % kBlockThreads;
              return input_word((element - lane + kBlockThreads - 1 - lane) * 4 + i % 4);
            });
          }};
}

Computation staged_in_turn(Side side) {
  int multiprocessors = 0;
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
             "cudaDeviceGetAttribute");
  const auto blocks = static_cast<unsigned>(multiprocessors);
  constexpr std::int64_t kResults = std::int64_t{kTiles} * kBlockThreads;
  const SharedWords in = filled_words(std::int64_t{kTiles} * kWordsOfTile, InOrder());
  const SharedWords out = device_words(kResults);
  const auto kernel = side == Side::fault ? weigh_tiles_in_turn : weigh_tiles_ahead;
  return {[=] { kernel<<<blocks, kBlockThreads>>>(out.get(), elements_of(in)); },
          [=] {
            return first_mistake(out.get(), {kResults, 7}, [](std::int64_t i) {
              const std::int64_t first = i / kBlockThreads * kWordsOfTile;
              Word sum = 0;
              for (std::int64_t step = 0; step < kTileSteps; ++step)
                sum = sum * 3 + input_word(first + (i % kBlockThreads + step * kWarpThreads) % kWordsOfTile);
              return sum;
            });
          }};
}

}  // namespace

std::vector<TwinCode> staging_twins() {
  return {{"staged_once", staged_once}, {"staged_in_turn", staged_in_turn}};
}

}  // namespace coalescope::kernels
