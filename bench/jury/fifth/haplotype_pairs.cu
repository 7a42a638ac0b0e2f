// How long 130,560 pairs of haplotypes have been the same at each of 256 variants: the sums of these lengths
// over all pairs, for both alleles, as the nSL statistic needs them.
// At fault: a thread follows a pair and adds each length to its variant's word with an atomic, so that all
// pairs meet at few words. The pattern is that of kr-colab/pg_gpu, whose pull request 45 adds up in the warp
// first; here the block goes on adding.
#include "../case.cuh"

namespace {

constexpr int kHaplotypes = 512, kVariants = 256, kWords = kVariants / 32, kThreads = 256;
constexpr int kPairs = kHaplotypes * (kHaplotypes / 2 - 1), kWarps = kThreads / 32;

// 32 variants a word, haplotypes side by side.
__global__ void fill_alleles(unsigned* alleles) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  alleles[i] = mixed_bits(i) | (mixed_bits(i + 77777) & mixed_bits(i + 99999));
}

struct Pair {
  const unsigned *one, *other;
};

// Each haplotype with each of the 255 that follow it.
__device__ Pair pair_of(const unsigned* alleles, int pair) {
  const int one = pair % kHaplotypes, other = (one + pair / kHaplotypes + 1) % kHaplotypes;
  return {alleles + one, alleles + other};
}

__global__ void lengths_by_pair(double* sums, const unsigned* alleles) {
  const Pair pair = pair_of(alleles, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
  int length = 0;
  for (int word = 0; word < kWords; ++word) {
    const unsigned one = pair.one[word * kHaplotypes], other = pair.other[word * kHaplotypes];
    for (int bit = 0; bit < 32; ++bit) {
      const bool same = ((one ^ other) >> bit & 1) == 0;
      length = same ? length + 1 : 0;
      double* of_allele = sums + (one >> bit & 1) * kVariants;
      if (same) atomicAdd(of_allele + word * 32 + bit, static_cast<double>(length));  // fault
    }
  }
}

__device__ float sum_of_warp(float value) {
#pragma unroll
  for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(0xffffffffU, value, far);
  return value;
}

__global__ void lengths_by_block(double* sums, const unsigned* alleles) {
  __shared__ float parts[kWarps][2 * kVariants];
  const Pair pair = pair_of(alleles, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
  float* part = parts[threadIdx.x / 32];
  int length = 0;
  for (int word = 0; word < kWords; ++word) {
    const unsigned one = pair.one[word * kHaplotypes], other = pair.other[word * kHaplotypes];
    for (int bit = 0; bit < 32; ++bit) {
      const bool same = ((one ^ other) >> bit & 1) == 0, second = (one >> bit & 1) != 0;
      length = same ? length + 1 : 0;
      const float firsts = sum_of_warp(second ? 0 : static_cast<float>(length));
      const float seconds = sum_of_warp(second ? static_cast<float>(length) : 0);
      if (threadIdx.x % 32 == 0) {
        part[word * 32 + bit] = firsts;
        part[kVariants + word * 32 + bit] = seconds;
      }
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 2 * kVariants; i += kThreads) {
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) sum += parts[warp][i];
    atomicAdd(sums + i, static_cast<double>(sum));
  }
}

Case make(bool by_pair) {
  auto* alleles = device_array<unsigned>(std::size_t{kWords} * kHaplotypes);
  auto* sums = device_array<double>(2 * kVariants);
  fill_alleles<<<kWords * kHaplotypes / kThreads, kThreads>>>(alleles);
  return {[=] {
            CHECK(cudaMemsetAsync(sums, 0, 2 * kVariants * sizeof(double)));
            if (by_pair) {
              lengths_by_pair<<<kPairs / kThreads, kThreads>>>(sums, alleles);
            } else {
              lengths_by_block<<<kPairs / kThreads, kThreads>>>(sums, alleles);
            }
          },
          [=] { return device_sum(sums, 2 * kVariants); }, 300};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
