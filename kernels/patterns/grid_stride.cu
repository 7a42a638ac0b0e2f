// A5: the index with the roles of block and thread exchanged.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// Neighbouring lanes are a whole grid apart: 32 sectors a request, 12.5 %. Loads and stores alike.
__global__ void grid_strided_copy(Word* out, const Word* in) {
  const unsigned i = blockIdx.x + threadIdx.x * gridDim.x;
  out[i] = in[i];
}

std::vector<Pattern> grid_stride_patterns() {
  return {{"grid_strided_copy",
           [](const Arrays& arrays) {
             grid_strided_copy<<<blocks_of(kArrayWords), kBlockThreads>>>(arrays.device.output,
                                                                          arrays.device.input);
           },
           [](std::int64_t i) { return input_word(i); }}};
}

}  // namespace coalescope::kernels
