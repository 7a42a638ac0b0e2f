// A6: lanes that read the same word. The stores are sequential: 4 sectors a request, 100 %.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// 1 sector a request for 4 distinct bytes: 12.5 %.
__global__ void broadcast(Word* out, const Word* in) {
  out[thread_index()] = in[0];
}

// 32 / K distinct words: max(4 / K, 1) sectors a request; 100 % up to K = 4, then 50, 25 and 12.5 %.
template <int Lanes>
__global__ void multicast(Word* out, const Word* in) {
  const unsigned i = thread_index();
  out[i] = in[i / Lanes];
}

namespace {

template <int Lanes>
Pattern multicast_pattern() {
  return {"multicast/" + std::to_string(Lanes),
          [](const Arrays& arrays) {
            multicast<Lanes>
                <<<blocks_of(kArrayWords), kBlockThreads>>>(arrays.device.output, arrays.device.input);
          },
          [](std::int64_t i) { return input_word(i / Lanes); }};
}

}  // namespace

std::vector<Pattern> broadcast_patterns() {
  return {{"broadcast",
           [](const Arrays& arrays) {
             broadcast<<<blocks_of(kArrayWords), kBlockThreads>>>(arrays.device.output, arrays.device.input);
           },
           [](std::int64_t) { return input_word(0); }},
          multicast_pattern<2>(),
          multicast_pattern<4>(),
          multicast_pattern<8>(),
          multicast_pattern<16>(),
          multicast_pattern<32>()};
}

}  // namespace coalescope::kernels
