// A7: the same bytes copied by elements of 1 to 16 bytes.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

template <int Bytes>
struct ElementOf;
template <>
struct ElementOf<1> {
  using type = std::uint8_t;
};
template <>
struct ElementOf<2> {
  using type = std::uint16_t;
};
template <>
struct ElementOf<4> {
  using type = std::uint32_t;
};
template <>
struct ElementOf<8> {
  using type = uint2;
};
template <>
struct ElementOf<16> {
  using type = uint4;
};

// As many sectors a request as an element has bytes, 100 %. Loads and stores alike.
template <int Bytes>
__global__ void element_copy(Word* out, const Word* in) {
  using Element = typename ElementOf<Bytes>::type;
  const unsigned i = thread_index();
  reinterpret_cast<Element*>(out)[i] = reinterpret_cast<const Element*>(in)[i];
}

namespace {

template <int Bytes>
Pattern element_pattern() {
  return {"element_copy/" + std::to_string(Bytes),
          [](const Arrays& arrays) {
            element_copy<Bytes><<<blocks_of(element_threads(Bytes)), kBlockThreads>>>(arrays.device.output,
                                                                                      arrays.device.input);
          },
          [](std::int64_t i) { return input_word(i); }};
}

}  // namespace

std::vector<Pattern> element_patterns() {
  return {element_pattern<1>(), element_pattern<2>(), element_pattern<4>(), element_pattern<8>(),
          element_pattern<16>()};
}

}  // namespace coalescope::kernels
