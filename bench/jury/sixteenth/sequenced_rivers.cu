// Counts the words of six letters in DNA from river water: a sample has 268 million letters, 16 to a word
// of 32 bits, and each letter begins a word that is counted together with its mirror image on the other
// strand. A sample a round, of eight.
// At fault: each of 268 million words is added to one of some 2000 counters in global memory, so atomics
// queue up in L2. The pattern is that of NVIDIA/cuml, pull request 1218, and NVIDIA/cccl, pull request
// 10556: a block counts in shared memory and adds its counts once.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSixteens = 1 << 24, kSamples = 8, kLetters = 16, kKinds = 4096, kThreads = 1024;
constexpr int kBlocks = 264, kRounds = 2400;
constexpr unsigned kKindBits = kKinds - 1, kLowOfPairs = 0x555U;

// The number of a word or of its mirror image, whichever is less. A letter and its partner add up to 3.
__device__ unsigned kind_of(unsigned word) {
  const unsigned turned = __brev(~word & kKindBits) >> 20;
  const unsigned mirrored = (turned & kLowOfPairs) << 1 | (turned >> 1 & kLowOfPairs);
  return min(word, mirrored);
}

// Words reach into the next sixteen letters.
__device__ unsigned long long letters_at(const unsigned* sample, int i) {
  return sample[i] | static_cast<unsigned long long>(sample[i + 1]) << 32;
}

__global__ void __launch_bounds__(kThreads)
    count_globally(unsigned* __restrict__ counts, const unsigned* __restrict__ sample) {
  const int step = static_cast<int>(gridDim.x) * kThreads;
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < kSixteens; i += step) {
    const unsigned long long letters = letters_at(sample, i);
#pragma unroll
    for (int letter = 0; letter < kLetters; ++letter)
      atomicAdd(counts + kind_of(static_cast<unsigned>(letters >> 2 * letter) & kKindBits), 1U);  // fault
  }
}

__global__ void __launch_bounds__(kThreads)
    count_by_blocks(unsigned* __restrict__ counts, const unsigned* __restrict__ sample) {
  __shared__ unsigned own[kKinds];
  const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(gridDim.x) * kThreads;
  for (int kind = thread; kind < kKinds; kind += kThreads) own[kind] = 0;
  __syncthreads();
  for (int i = static_cast<int>(blockIdx.x) * kThreads + thread; i < kSixteens; i += step) {
    const unsigned long long letters = letters_at(sample, i);
#pragma unroll
    for (int letter = 0; letter < kLetters; ++letter)
      atomicAdd(own + kind_of(static_cast<unsigned>(letters >> 2 * letter) & kKindBits), 1U);
  }
  __syncthreads();
  for (int kind = thread; kind < kKinds; kind += kThreads)
    if (own[kind] > 0) atomicAdd(counts + kind, own[kind]);
}

// The first two letters of four are three times as frequent as the others.
__global__ void __launch_bounds__(kThreads) draw_water(unsigned* sample, unsigned number) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const unsigned bits = mixed_bits(i + number * 0x02000000U), others = mixed_bits(bits + 0x3c6ef372U);
  if (i <= kSixteens) sample[i] = bits & (others | 0x55555555U);
}

using Count = void (*)(unsigned*, const unsigned*);

Case make(Count count) {
  constexpr std::size_t kLength = kSixteens + 1;
  auto* samples = device_array<unsigned>(kSamples * kLength);
  for (unsigned number = 0; number < kSamples; ++number)
    draw_water<<<blocks_for(kLength, kThreads), kThreads>>>(samples + number * kLength, number);
  CHECK(cudaGetLastError());
  auto* counts = device_array<unsigned>(kSamples * kKinds);
  CHECK(cudaMemset(counts, 0, kSamples * kKinds * sizeof(unsigned)));
  auto round = std::make_shared<std::size_t>(0);
  return {[=] {
            const std::size_t number = (*round)++ % kSamples;
            count<<<kBlocks, kThreads>>>(counts + number * kKinds, samples + number * kLength);  // fault
          },
          [=] {
            std::array<unsigned, kSamples * kKinds> all{};
            CHECK(cudaMemcpy(all.data(), counts, sizeof(all), cudaMemcpyDeviceToHost));
            double total = 0;
            for (std::size_t i = 0; i < all.size(); ++i)
              total += 1e-6 * static_cast<double>(1 + i % kKinds) * all[i];
            return total;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(count_globally); }, [] { return make(count_by_blocks); });
}
