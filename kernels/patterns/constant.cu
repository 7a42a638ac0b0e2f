// B5: constant memory, read by warps whose lanes want 1 to 32 different words. No counter sees these reads:
// the time over the number of addresses is the answer.

#include "kernels/patterns/cuda_check.cuh"
#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

__constant__ Word constant_words[kConstantWords];

// The constant cache serves one word at a time: Addresses times as long as a read that all lanes share.
template <int Addresses>
__global__ void constant_read(Word* out) {
  const unsigned first = threadIdx.x % Addresses;
  Word sum = 0;
#pragma unroll 8
  for (unsigned pass = 0; pass < kConstantPasses; ++pass)
    sum = sum * 3 + constant_words[first + pass * kWarpThreads];
  out[thread_index()] = sum;
}

namespace {

template <int Addresses>
Pattern constant_pattern() {
  return {"constant_read/" + std::to_string(Addresses),
          [](const Arrays& arrays) {
            check_cuda(cudaMemcpyToSymbolAsync(constant_words, arrays.device.input, sizeof constant_words, 0,
                                               cudaMemcpyDeviceToDevice),
                       "cudaMemcpyToSymbolAsync");
            constant_read<Addresses><<<blocks_of(kChipThreads), kBlockThreads>>>(arrays.device.output);
          },
          [](std::int64_t i) -> std::optional<Word> {
            if (i >= kChipThreads) return std::nullopt;
            Word sum = 0;
            for (std::int64_t pass = 0; pass < kConstantPasses; ++pass)
              sum = sum * 3 + input_word(i % Addresses + pass * kWarpThreads);
            return sum;
          }};
}

}  // namespace

std::vector<Pattern> constant_patterns() {
  return {constant_pattern<1>(), constant_pattern<2>(),  constant_pattern<4>(),
          constant_pattern<8>(), constant_pattern<16>(), constant_pattern<32>()};
}

}  // namespace coalescope::kernels
