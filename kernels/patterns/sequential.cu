// A1 and A2: the aligned copy, and copies whose lanes take their words in another order.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// 4 sectors a request, 100 %.
__global__ void sequential_copy(Word* out, const Word* in) {
  const unsigned i = thread_index();
  out[i] = in[i];
}

// 4 sectors a request, 100 %: the hardware does not care which lane takes which word of the segment.
template <int Mask>
__global__ void permuted_read(Word* out, const Word* in) {
  const unsigned i = thread_index();
  out[i] = in[i ^ Mask];
}

// The same for the store.
template <int Mask>
__global__ void permuted_write(Word* out, const Word* in) {
  const unsigned i = thread_index();
  out[i ^ Mask] = in[i];
}

namespace {

using Kernel = void (*)(Word*, const Word*);

Pattern copy_with(std::string id, Kernel kernel, int mask) {
  return {std::move(id),
          [kernel](const Arrays& arrays) {
            kernel<<<blocks_of(kArrayWords), kBlockThreads>>>(arrays.device.output, arrays.device.input);
          },
          [mask](std::int64_t i) { return input_word(i ^ mask); }};
}

}  // namespace

std::vector<Pattern> sequential_patterns() {
  return {copy_with("sequential_copy", sequential_copy, 0)};
}

std::vector<Pattern> permuted_patterns() {
  return {copy_with("permuted_read/1", permuted_read<1>, 1),
          copy_with("permuted_write/1", permuted_write<1>, 1),
          copy_with("permuted_read/31", permuted_read<31>, 31),
          copy_with("permuted_write/31", permuted_write<31>, 31)};
}

}  // namespace coalescope::kernels
