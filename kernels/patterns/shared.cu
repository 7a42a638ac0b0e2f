// B1 and B2: reads of shared memory whose lanes are S words apart, or share words. Shared memory has 32 banks
// of 4 bytes; a wavefront serves each bank once, and every lane that wants the very word.

#include <utility>

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

__device__ inline Word bits_of(Word word) {
  return word;
}
__device__ inline Word bits_of(uint2 words) {
  return words.x ^ words.y;
}
__device__ inline void fill(Word& word, unsigned i) {
  word = input_word(i);
}
__device__ inline void fill(uint2& words, unsigned i) {
  words = {input_word(i), ~i};
}

// Adds up kSharedPasses elements a thread. A pass is 32 elements further than the one before: another row of
// the banks, the same conflicts.
template <class Element>
__device__ inline void read_shared(Word* out, unsigned first) {
  __shared__ Element elements[kSharedWords];
#pragma unroll
  for (unsigned first_of_block = 0; first_of_block < kSharedWords; first_of_block += kBlockThreads)
    fill(elements[first_of_block + threadIdx.x], first_of_block + threadIdx.x);
  __syncthreads();
  Word sum = 0;
#pragma unroll 8
  for (unsigned pass = 0; pass < kSharedPasses; ++pass)
    sum = sum * 3 + bits_of(elements[(first + pass * kWarpThreads) % kSharedWords]);
  out[thread_index()] = sum;
}

// gcd(S, 32) of the 32 words lie in the same bank: as many wavefronts a request.
template <int Stride>
__global__ void shared_stride(Word* out) {
  read_shared<Word>(out, threadIdx.x % kWarpThreads * Stride);
}

// Words of 8 bytes take two banks each, and half a warp is served at a time: 2 gcd(S, 16) wavefronts.
template <int Stride>
__global__ void shared_stride_wide(Word* out) {
  read_shared<uint2>(out, threadIdx.x % kWarpThreads * Stride);
}

// Neighbours that read the same word are served together: 1 wavefront.
template <int Lanes>
__global__ void shared_multicast(Word* out) {
  read_shared<Word>(out, threadIdx.x % kWarpThreads / Lanes);
}

namespace {

using SharedKernel = void (*)(Word*);

Pattern pattern_of(const std::string& function, int argument, SharedKernel kernel, bool wide,
                   unsigned (*first)(unsigned)) {
  return {function + "/" + std::to_string(argument),
          [kernel](const Arrays& arrays) {
            kernel<<<blocks_of(kChipThreads), kBlockThreads>>>(arrays.device.output);
          },
          [wide, first](std::int64_t i) -> std::optional<Word> {
            if (i >= kChipThreads) return std::nullopt;
            Word sum = 0;
            for (unsigned pass = 0; pass < kSharedPasses; ++pass) {
              const unsigned element =
                  (first(static_cast<unsigned>(i % kWarpThreads)) + pass * 32) % kSharedWords;
              sum = sum * 3 + (wide ? input_word(element) ^ ~element : input_word(element));
            }
            return sum;
          }};
}

template <int Stride>
unsigned strided(unsigned lane) {
  return lane * Stride;
}
template <int Lanes>
unsigned grouped(unsigned lane) {
  return lane / Lanes;
}

template <int... Index>
std::vector<Pattern> strides_from_one(std::integer_sequence<int, Index...>) {
  return {pattern_of("shared_stride", Index + 1, shared_stride<Index + 1>, false, strided<Index + 1>)...,
          pattern_of("shared_stride_wide", Index + 1, shared_stride_wide<Index + 1>, true,
                     strided<Index + 1>)...};
}

template <int... Lanes>
std::vector<Pattern> multicasts(std::integer_sequence<int, Lanes...>) {
  return {pattern_of("shared_multicast", Lanes, shared_multicast<Lanes>, false, grouped<Lanes>)...};
}

}  // namespace

std::vector<Pattern> shared_stride_patterns() {
  return strides_from_one(std::make_integer_sequence<int, kLargestStride>());
}

std::vector<Pattern> shared_multicast_patterns() {
  return multicasts(std::integer_sequence<int, 2, 4, 8, 16, 32>());
}

}  // namespace coalescope::kernels
