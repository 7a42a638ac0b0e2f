#pragma once
// Kernels that read, and the sums that prove it. Every thread adds up what it reads and leaves its sum; the
// host knows the total of all, because input_word() is a straight line modulo 2^32.

#include "kernels/curves/bench.cuh"

namespace coalescope::kernels {

// Past L1. Volatile, so that no pass over the same data is left out.
__device__ inline Word load_word(const Word* at) {
  Word word;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at));
  return word;
}

__device__ inline Word load_quad(const Word* at) {
  uint4 quad;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(quad.x), "=r"(quad.y), "=r"(quad.z), "=r"(quad.w)
               : "l"(at));
  return quad.x + quad.y + quad.z + quad.w;
}

inline constexpr unsigned kQuadWords = 4;

// All of an array, `passes` times, by 16 bytes a thread. `Tag` makes a kernel of its own of each use, so that
// a capture tells them apart.
template <int Tag>
__global__ void read_quads(Word* sums, const Word* in, unsigned quads, int passes) {
  const unsigned step = gridDim.x * blockDim.x;
  Word sum = 0;
  for (int pass = 0; pass < passes; ++pass)
    for (unsigned i = thread_index(); i < quads; i += 4 * step) {
#pragma unroll
      for (unsigned k = 0; k < 4; ++k)
        if (i + k * step < quads) sum += load_quad(in + kQuadWords * (i + k * step));
    }
  sums[thread_index()] = sum;
}

// Of `count` words from `first` on, each `step` words behind the one before.
inline Word sum_of_words(std::uint64_t first, std::uint64_t step, std::uint64_t count) {
  const std::uint64_t pairs = count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;
  return static_cast<Word>((count * first + pairs * step) * 2654435761U + count * 12345U);
}

// What goes round and round over the first `period` words, `count` words in all.
inline Word sum_of_rounds(std::uint64_t period, std::uint64_t count) {
  return static_cast<Word>(sum_of_words(0, 1, period) * (count / period)) +
         sum_of_words(0, 1, count % period);
}

// The sums of a grid's threads.
class Sums {
 public:
  explicit Sums(unsigned blocks);
  Word* get() const { return sums_.get(); }
  [[nodiscard]] Word total() const;

 private:
  std::int64_t threads_;
  OnDevice<Word> sums_;
};

// Filled with input_word().
OnDevice<Word> filled_array(std::int64_t bytes);

}  // namespace coalescope::kernels
