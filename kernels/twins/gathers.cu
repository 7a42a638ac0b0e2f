// A11: a sum over a list of indices, which may be sorted first, as it does not depend on the order.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

constexpr unsigned kGatherBits = 25, kGatheredAThread = 32;
constexpr std::int64_t kGatheredWords = std::int64_t{1} << kGatherBits;

// One to one among the numbers of 25 bits: every word is wanted once.
struct ShuffledIndex {
  __device__ Word operator()(std::int64_t i) const {
    constexpr std::uint32_t kMask = (1U << kGatherBits) - 1;
    auto index = static_cast<std::uint32_t>(i);
    index = (index ^ (index >> 13)) * 0x9E3779B1U & kMask;
    index = (index ^ (index >> 12)) * 0x85EBCA77U & kMask;
    return index ^ (index >> 13);
  }
};
struct SortedIndex {
  __device__ Word operator()(std::int64_t i) const { return static_cast<Word>(i); }
};

__global__ void sum_gathered(Word* total, const Word* in, const Word* indices) {
  const unsigned threads = gridDim.x * blockDim.x;
  Word sum = 0;
#pragma unroll 8
  for (unsigned k = 0; k < kGatheredAThread; ++k) {
    const unsigned index = indices[thread_index() + k * threads];
    sum += in[index] ^ index;  // fault: shuffled_gather
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

namespace {

Computation shuffled_gather(Side side) {
  const SharedWords in = filled_words(kGatheredWords, InOrder());
  const SharedWords indices = side == Side::fault ? filled_words(kGatheredWords, ShuffledIndex())
                                                  : filled_words(kGatheredWords, SortedIndex());
  const SharedWords total = device_words(1);
  return {[=] {
            check_cuda(cudaMemsetAsync(total.get(), 0, kWordBytes), "cudaMemsetAsync");
            sum_gathered<<<blocks_of(kGatheredWords / kGatheredAThread), kBlockThreads>>>(
                total.get(), in.get(), indices.get());
          },
          [=] {
            return first_mistake(total.get(), {1}, [](std::int64_t) {
              Word sum = 0;
              for (std::int64_t i = 0; i < kGatheredWords; ++i) sum += input_word(i) ^ static_cast<Word>(i);
              return sum;
            });
          }};
}

}  // namespace

std::vector<TwinCode> gather_twins() {
  return {{"shuffled_gather", shuffled_gather}};
}

}  // namespace coalescope::kernels
