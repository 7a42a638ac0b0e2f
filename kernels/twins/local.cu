// B6: what a thread keeps for itself and has no registers for: an array indexed at run time, and spills.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

constexpr std::int64_t kCountingThreads = 512 * kKiB;
constexpr unsigned kCounted = 64, kSymbols = 16, kSymbolShift = 28;

// Every thread counts how often each symbol is in its 64 words.
__global__ void count_in_local(Word* out, const Word* in) {
  Word counts[kSymbols] = {};
#pragma unroll 4
  for (unsigned k = 0; k < kCounted; ++k) {
    const Word word = in[thread_index() + k * static_cast<unsigned>(kCountingThreads)];
    ++counts[word >> kSymbolShift];  // fault: indexed_array
  }
  Word sum = 0;
#pragma unroll
  for (const Word count : counts) sum = sum * 31 + count;
  out[thread_index()] = sum;
}

// A bank for each lane, whatever the symbol.
__global__ void count_in_shared(Word* out, const Word* in) {
  __shared__ Word counts[kSymbols][kBlockThreads];
#pragma unroll
  for (auto& of_symbol : counts) of_symbol[threadIdx.x] = 0;
#pragma unroll 4
  for (unsigned k = 0; k < kCounted; ++k) {
    const Word word = in[thread_index() + k * static_cast<unsigned>(kCountingThreads)];
    ++counts[word >> kSymbolShift][threadIdx.x];
  }
  Word sum = 0;
#pragma unroll
  for (const auto& of_symbol : counts) sum = sum * 31 + of_symbol[threadIdx.x];
  out[thread_index()] = sum;
}

constexpr std::int64_t kMixingThreads = 512 * kKiB;
constexpr unsigned kMixed = 64, kMixRounds = 24;

__device__ inline Word mix_of_words(const Word* in) {
  Word words[kMixed];
#pragma unroll
  for (unsigned k = 0; k < kMixed; ++k)
    words[k] = in[thread_index() + k * static_cast<unsigned>(kMixingThreads)];
#pragma unroll 1
  for (unsigned round = 0; round < kMixRounds; ++round) {
#pragma unroll
    for (unsigned k = 0; k < kMixed; ++k) words[k] = words[k] * 3 + words[(k + 1) % kMixed];
  }
  Word sum = 0;
#pragma unroll
  for (const Word word : words) sum = sum * 31 + word;
  return sum;
}

// The spills are all over the kernel: no line of it is the fault.
__global__ void __maxnreg__(32) mix_in_few_registers(Word* out, const Word* in) {
  out[thread_index()] = mix_of_words(in);
}
__global__ void __maxnreg__(128) mix_in_registers(Word* out, const Word* in) {
  out[thread_index()] = mix_of_words(in);
}

namespace {

Computation indexed_array(Side side) {
  const SharedWords in = filled_words(kCountingThreads * kCounted, InOrder());
  const SharedWords out = device_words(kCountingThreads);
  const auto kernel = side == Side::fault ? count_in_local : count_in_shared;
  return {[=] { kernel<<<blocks_of(kCountingThreads), kBlockThreads>>>(out.get(), in.get()); },
          [=] {
            return first_mistake(out.get(), {kCountingThreads, 7}, [](std::int64_t i) {
              Word counts[kSymbols] = {};
              for (std::int64_t k = 0; k < kCounted; ++k)
                ++counts[input_word(i + k * kCountingThreads) >> kSymbolShift];
              Word sum = 0;
              for (const Word count : counts) sum = sum * 31 + count;
              return sum;
            });
          }};
}

Word mix_on_host(std::int64_t i) {
  Word words[kMixed];
  for (std::int64_t k = 0; k < kMixed; ++k) words[k] = input_word(i + k * kMixingThreads);
  for (unsigned round = 0; round < kMixRounds; ++round)
    for (unsigned k = 0; k < kMixed; ++k) words[k] = words[k] * 3 + words[(k + 1) % kMixed];
  Word sum = 0;
  for (const Word word : words) sum = sum * 31 + word;
  return sum;
}

Computation spilled_registers(Side side) {
  const SharedWords in = filled_words(kMixingThreads * kMixed, InOrder());
  const SharedWords out = device_words(kMixingThreads);
  const auto kernel = side == Side::fault ? mix_in_few_registers : mix_in_registers;
  return {[=] { kernel<<<blocks_of(kMixingThreads), kBlockThreads>>>(out.get(), in.get()); },
          [=] {
            return first_mistake(out.get(), {kMixingThreads, 61}, mix_on_host);
          }};
}

}  // namespace

std::vector<TwinCode> local_twins() {
  return {{"indexed_array", indexed_array}, {"spilled_registers", spilled_registers}};
}

}  // namespace coalescope::kernels
