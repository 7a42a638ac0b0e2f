// B7: atomic additions whose lanes meet at one address, at a few, or at none; and the two ways to meet less
// often. One without a result is a reduction to the hardware, one with a result an atomic.

#include "kernels/patterns/cuda_check.cuh"
#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// `mask` is Addresses - 1. Only at run time, or the compiler adds up within the warp where it can. Lanes of
// the same address are served one after the other, but are one word of one sector to the counters: a sector
// for 8 addresses.
template <int Addresses>
__global__ void reduction(Word* sums, const Word* in, unsigned mask) {
  const unsigned i = thread_index();
  atomicAdd(sums + (i & mask), in[i]);
}

// A word for each lane: 4 sectors a request.
__global__ void reduction_spread(Word* sums, const Word* in) {
  const unsigned i = thread_index();
  atomicAdd(sums + i, in[i]);
}

// The same with the old value as result, which is the same for all as nothing is added.
template <int Addresses>
__global__ void fetch_add(Word* out, Word* sums, unsigned mask, Word nothing) {
  const unsigned i = thread_index();
  out[i] = atomicAdd(sums + (i & mask), nothing) + i;
}

// The warp adds up by itself, and one lane alone takes the sum to memory: 1 sector, 4 bytes.
__global__ void reduction_aggregated(Word* sums, const Word* in) {
  Word sum = in[thread_index()];
#pragma unroll
  for (unsigned distance = kWarpThreads / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xFFFFFFFFU, sum, distance);
  if (threadIdx.x % kWarpThreads == 0) atomicAdd(sums, sum);
}

__host__ __device__ inline unsigned bin_of(Word word) {
  return (word >> kBinShift) % kBins;
}

// Every element goes to global memory: as many bytes a request as its 32 words have different bins, times 4.
__global__ void histogram_global(Word* counts, const Word* in) {
  atomicAdd(counts + bin_of(in[thread_index()]), 1U);
}

// Every block counts in shared memory and adds its counts up in the end: 4 sectors a warp.
__global__ void histogram_privatised(Word* counts, const Word* in) {
  __shared__ Word own_counts[kBins];
  own_counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(own_counts + bin_of(in[thread_index()]), 1U);
  __syncthreads();
  atomicAdd(counts + threadIdx.x, own_counts[threadIdx.x]);
}

namespace {

using Kernel = void (*)(Word*, const Word*);
using OutputWord = std::optional<Word> (*)(std::int64_t);

void clear(Word* words, std::int64_t count) {
  check_cuda(cudaMemsetAsync(words, 0, static_cast<std::size_t>(count * kWordBytes)), "cudaMemsetAsync");
}

template <int Addresses>
Word sum_at(std::int64_t address) {
  Word sum = 0;
  for (std::int64_t i = address; i < kChipThreads; i += Addresses) sum += input_word(i);
  return sum;
}

Pattern pattern_of(std::string id, Kernel kernel, std::int64_t sums, OutputWord output_word) {
  return {std::move(id),
          [kernel, sums](const Arrays& arrays) {
            clear(arrays.device.output, sums);
            kernel<<<blocks_of(kChipThreads), kBlockThreads>>>(arrays.device.output, arrays.device.input);
          },
          output_word, Place::device, sums * kWordBytes};
}

template <int Addresses>
Pattern reduction_pattern() {
  return {"reduction/" + std::to_string(Addresses),
          [](const Arrays& arrays) {
            clear(arrays.device.output, Addresses);
            reduction<Addresses><<<blocks_of(kChipThreads), kBlockThreads>>>(
                arrays.device.output, arrays.device.input, Addresses - 1U);
          },
          sum_at<Addresses>, Place::device, Addresses * kWordBytes};
}

// The sums are behind the output, and stay 0.
template <int Addresses>
Pattern fetch_pattern() {
  return {"fetch_add/" + std::to_string(Addresses),
          [](const Arrays& arrays) {
            Word* sums = arrays.device.output + kArrayWords / 2;
            clear(sums, Addresses);
            fetch_add<Addresses>
                <<<blocks_of(kChipThreads), kBlockThreads>>>(arrays.device.output, sums, Addresses - 1U, 0);
          },
          [](std::int64_t i) { return static_cast<Word>(i); }, Place::device, kChipThreads * kWordBytes};
}

std::optional<Word> count_in(std::int64_t bin) {
  Word count = 0;
  for (std::int64_t i = 0; i < kChipThreads; ++i)
    if (bin_of(input_word(i)) == bin) ++count;
  return count;
}

}  // namespace

std::vector<Pattern> atomic_patterns() {
  return {reduction_pattern<1>(),
          reduction_pattern<2>(),
          reduction_pattern<4>(),
          reduction_pattern<8>(),
          reduction_pattern<16>(),
          reduction_pattern<32>(),
          pattern_of("reduction_spread", reduction_spread, kChipThreads,
                     [](std::int64_t i) -> std::optional<Word> { return input_word(i); }),
          fetch_pattern<1>(),
          fetch_pattern<8>(),
          fetch_pattern<32>(),
          pattern_of("reduction_aggregated", reduction_aggregated, 1,
                     [](std::int64_t i) -> std::optional<Word> { return sum_at<1>(i); }),
          pattern_of("histogram_global", histogram_global, kBins, count_in),
          pattern_of("histogram_privatised", histogram_privatised, kBins, count_in)};
}

}  // namespace coalescope::kernels
