// A3: a copy whose warps begin K words behind a sector boundary.

#include <utility>

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// 5 sectors a request and 80 %, unless K is a multiple of 8: then 4 and 100 %. Loads and stores alike.
template <int Offset>
__global__ void offset_copy(Word* out, const Word* in) {
  const unsigned i = thread_index() + Offset;
  out[i] = in[i];
}

namespace {

template <int Offset>
Pattern offset_pattern() {
  return {"offset_copy/" + std::to_string(Offset),
          [](const Arrays& arrays) {
            offset_copy<Offset>
                <<<blocks_of(kOffsetThreads), kBlockThreads>>>(arrays.device.output, arrays.device.input);
          },
          [](std::int64_t i) {
            const bool written = i >= Offset && i < Offset + kOffsetThreads;
            return written ? std::optional(input_word(i)) : std::nullopt;
          }};
}

template <int... Offset>
std::vector<Pattern> patterns_at(std::integer_sequence<int, Offset...>) {
  return {offset_pattern<Offset>()...};
}

}  // namespace

std::vector<Pattern> offset_patterns() {
  return patterns_at(std::make_integer_sequence<int, kLargestOffset + 1>());
}

}  // namespace coalescope::kernels
