// B7: atomic additions at one address, at a few, and with a result that nobody needs.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

constexpr std::int64_t kAddedWords = 32 * kMiB;
constexpr unsigned kAddedAThread = 16;
constexpr std::int64_t kAddingThreads = kAddedWords / kAddedAThread;

__device__ inline Word added_word(const Word* in, unsigned k) {
  return in[thread_index() + k * static_cast<unsigned>(kAddingThreads)];
}

__device__ inline Word sum_of_thread(const Word* in) {
  Word sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kAddedAThread; ++k) sum += added_word(in, k);
  return sum;
}

// `mask` is 0. Only at run time, or the compiler adds up within the warp where it can.
__global__ void add_up_by_threads(Word* total, const Word* in, unsigned mask) {
  const Word sum = sum_of_thread(in);
  atomicAdd(total + (thread_index() & mask), sum);  // fault: atomic_each_thread
}

__global__ void add_up_by_blocks(Word* total, const Word* in, unsigned) {
  const Word sum = sum_of_block(sum_of_thread(in));
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

// Bits 12 to 19 of a word are its bin.
__host__ __device__ inline unsigned twin_bin_of(Word word) {
  return word >> 12 & 255U;
}
constexpr unsigned kTwinBins = 256;

__global__ void count_in_global(Word* counts, const Word* in, unsigned) {
#pragma unroll
  for (unsigned k = 0; k < kAddedAThread; ++k) {
    const Word word = added_word(in, k);
    atomicAdd(counts + twin_bin_of(word), 1U);  // fault: histogram_in_global
  }
}

__global__ void count_in_blocks(Word* counts, const Word* in, unsigned) {
  __shared__ Word own_counts[kTwinBins];
  own_counts[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kAddedAThread; ++k) atomicAdd(own_counts + twin_bin_of(added_word(in, k)), 1U);
  __syncthreads();
  atomicAdd(counts + threadIdx.x, own_counts[threadIdx.x]);
}

// A sum for each of 65,536 columns: the lanes of a warp are at neighbouring words. `mask` is 65,535.
constexpr unsigned kColumns = 65'536;

// The last word says whether a sum ever was at the largest number, which nobody reads.
__global__ void accumulate_watched(Word* sums, const Word* in, unsigned mask) {
#pragma unroll
  for (unsigned k = 0; k < kAddedAThread; ++k) {
    const Word word = added_word(in, k) >> 12;
    const Word before = atomicAdd(sums + (thread_index() & mask), word);  // fault: returning_atomics
    if (before == ~0U) sums[kColumns] = 1;
  }
}
__global__ void accumulate(Word* sums, const Word* in, unsigned mask) {
#pragma unroll
  for (unsigned k = 0; k < kAddedAThread; ++k)
    atomicAdd(sums + (thread_index() & mask), added_word(in, k) >> 12);
}

namespace {

using MaskedKernel = void (*)(Word*, const Word*, unsigned);
using Sums = std::vector<Word>;

// The host's sums are made once for all elements.
Computation added(MaskedKernel kernel, std::int64_t sums, unsigned mask, Sums (*expected)()) {
  const SharedWords in = filled_words(kAddedWords, InOrder());
  const SharedWords out = device_words(sums + 1);
  return {[=] {
            check_cuda(cudaMemsetAsync(out.get(), 0, static_cast<std::size_t>((sums + 1) * kWordBytes)),
                       "cudaMemsetAsync");
            kernel<<<blocks_of(kAddingThreads), kBlockThreads>>>(out.get(), in.get(), mask);
          },
          [=] {
            return first_mistake(out.get(), {sums}, [right = expected()](std::int64_t i) {
              return right[static_cast<std::size_t>(i)];
            });
          }};
}

Sums total() {
  Word sum = 0;
  for (std::int64_t i = 0; i < kAddedWords; ++i) sum += input_word(i);
  return {sum};
}

Sums counts() {
  Sums sums(kTwinBins);
  for (std::int64_t i = 0; i < kAddedWords; ++i) ++sums[twin_bin_of(input_word(i))];
  return sums;
}

Sums column_sums() {
  static_assert(kAddingThreads % kColumns == 0);
  Sums sums(kColumns);
  for (std::int64_t i = 0; i < kAddedWords; ++i) sums[i % kColumns] += input_word(i) >> 12;
  return sums;
}

}  // namespace

std::vector<TwinCode> atomic_twins() {
  return {{"atomic_each_thread",
           [](Side side) {
             return added(side == Side::fault ? add_up_by_threads : add_up_by_blocks, 1, 0, total);
           }},
          {"histogram_in_global",
           [](Side side) {
             return added(side == Side::fault ? count_in_global : count_in_blocks, kTwinBins, 0, counts);
           }},
          {"returning_atomics", [](Side side) {
             return added(side == Side::fault ? accumulate_watched : accumulate, kColumns, kColumns - 1,
                          column_sums);
           }}};
}

}  // namespace coalescope::kernels
