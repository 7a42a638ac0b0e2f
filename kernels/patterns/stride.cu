// A4: a copy of every S-th word.

#include <utility>

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// min(4 S, 32) sectors a request, 100 / min(S, 8) %. Loads and stores alike.
template <int Stride>
__global__ void strided_copy(Word* out, const Word* in) {
  const unsigned i = thread_index() * Stride;
  out[i] = in[i];
}

namespace {

template <int Stride>
Pattern stride_pattern() {
  return {"strided_copy/" + std::to_string(Stride),
          [](const Arrays& arrays) {
            strided_copy<Stride><<<blocks_of(strided_threads(Stride)), kBlockThreads>>>(arrays.device.output,
                                                                                        arrays.device.input);
          },
          [](std::int64_t i) {
            const bool written = i % Stride == 0 && i / Stride < strided_threads(Stride);
            return written ? std::optional(input_word(i)) : std::nullopt;
          }};
}

template <int... Index>
std::vector<Pattern> patterns_from_one(std::integer_sequence<int, Index...>) {
  return {stride_pattern<Index + 1>()...};
}

}  // namespace

std::vector<Pattern> stride_patterns() {
  return patterns_from_one(std::make_integer_sequence<int, kLargestStride>());
}

}  // namespace coalescope::kernels
