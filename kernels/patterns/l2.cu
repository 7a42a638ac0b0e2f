// E1: the ceiling between L1 and L2, from a copy that never leaves L2. That of DRAM is A1's.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// 4 sectors a request for loads and stores, 100 %. The loads go past L1; all come before the first store, so
// that many are in flight. Threads that share a word write the same value.
__global__ void l2_copy(Word* out, const Word* in) {
  constexpr unsigned kStep = kL2Words / kL2Passes;
  const unsigned i = thread_index();
  Word words[kL2Passes];
#pragma unroll
  for (unsigned pass = 0; pass < kL2Passes; ++pass) words[pass] = __ldcg(in + (i + pass * kStep) % kL2Words);
#pragma unroll
  for (unsigned pass = 0; pass < kL2Passes; ++pass) out[(i + pass * kStep) % kL2Words] = words[pass];
}

std::vector<Pattern> l2_patterns() {
  return {{"l2_copy",
           [](const Arrays& arrays) {
             l2_copy<<<blocks_of(kL2Threads), kBlockThreads>>>(arrays.device.output, arrays.device.input);
           },
           [](std::int64_t i) { return input_word(i); }, Place::device, kL2Words * kWordBytes}};
}

}  // namespace coalescope::kernels
