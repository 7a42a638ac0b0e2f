// B6: local memory: arrays of a thread that are indexed at run time, and registers that were spilled. It lies
// in global memory, word by word for the whole warp: word w of lane l at 128 w + 4 l bytes.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// Each thread keeps `Words` words in an array, and reads them from `first` on. Up to 8 words ptxas would keep
// them in registers and choose among these.
template <int Words>
__device__ inline Word sum_from(const Word* in, unsigned first) {
  Word words[Words];
#pragma unroll
  for (int k = 0; k < Words; ++k) words[k] = in[thread_index() + k * static_cast<unsigned>(kChipThreads)];
  Word sum = 0;
#pragma unroll
  for (int k = 0; k < Words; ++k) sum = sum * 3 + words[(first + k) % Words];
  return sum;
}

// All lanes are at the same index: 4 sectors a request for loads and for stores of a word.
template <int Words>
__global__ void local_array(Word* out, const Word* in, unsigned turn) {
  out[thread_index()] = sum_from<Words>(in, turn);
}

// Each lane is at another index, so that the 8 lanes of a sector go to 8 different ones: 32 sectors a request
// for loads, still 4 for a word that is stored.
template <int Words>
__global__ void local_array_by_lane(Word* out, const Word* in, unsigned turn) {
  out[thread_index()] = sum_from<Words>(in, turn + threadIdx.x);
}

// kLiveWords words are needed twice. In fewer registers some of them are spilled: 4 sectors for a word.
template <int Registers>
__global__ void __maxnreg__(Registers) live_words(Word* out, const Word* in) {
  Word words[kLiveWords];
  Word mix = 0;
#pragma unroll
  for (unsigned k = 0; k < kLiveWords; ++k) {
    words[k] = in[thread_index() + k * static_cast<unsigned>(kChipThreads)];
    mix ^= words[k];
  }
  Word sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kLiveWords; ++k) sum = sum * 3 + (words[k] ^ mix);
  out[thread_index()] = sum;
}

namespace {

using WordOfThread = std::function<Word(std::int64_t)>;

Word word_of(std::int64_t thread, std::int64_t k) {
  return input_word(thread + k * kChipThreads);
}

Pattern pattern_of(const std::string& function, int argument, std::function<void(const Arrays&)> launch,
                   WordOfThread output_word) {
  return {function + "/" + std::to_string(argument), std::move(launch),
          [output_word = std::move(output_word)](std::int64_t i) {
            return i < kChipThreads ? std::optional(output_word(i)) : std::nullopt;
          }};
}

template <int Words>
Pattern array_pattern(const std::string& function, void (*kernel)(Word*, const Word*, unsigned),
                      bool by_lane) {
  const auto output_word = [by_lane](std::int64_t i) {
    const std::int64_t first = kLocalTurn + (by_lane ? i % kBlockThreads : 0);
    Word sum = 0;
    for (std::int64_t k = 0; k < Words; ++k) sum = sum * 3 + word_of(i, (first + k) % Words);
    return sum;
  };
  const auto launch = [kernel](const Arrays& arrays) {
    kernel<<<blocks_of(kChipThreads), kBlockThreads>>>(arrays.device.output, arrays.device.input, kLocalTurn);
  };
  return pattern_of(function, Words, launch, output_word);
}

template <int Registers>
Pattern live_pattern() {
  const auto output_word = [](std::int64_t i) {
    Word mix = 0, sum = 0;
    for (unsigned k = 0; k < kLiveWords; ++k) mix ^= word_of(i, k);
    for (unsigned k = 0; k < kLiveWords; ++k) sum = sum * 3 + (word_of(i, k) ^ mix);
    return sum;
  };
  const auto launch = [](const Arrays& arrays) {
    live_words<Registers>
        <<<blocks_of(kChipThreads), kBlockThreads>>>(arrays.device.output, arrays.device.input);
  };
  return pattern_of("live_words", Registers, launch, output_word);
}

}  // namespace

std::vector<Pattern> local_patterns() {
  return {array_pattern<16>("local_array", local_array<16>, false),
          array_pattern<32>("local_array", local_array<32>, false),
          array_pattern<16>("local_array_by_lane", local_array_by_lane<16>, true),
          array_pattern<32>("local_array_by_lane", local_array_by_lane<32>, true),
          live_pattern<32>(),
          live_pattern<128>()};
}

}  // namespace coalescope::kernels
