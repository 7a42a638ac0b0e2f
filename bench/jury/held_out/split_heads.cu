// Brings 32,768 tokens of 16 heads of 128 halves into the order of heads, 64 sequences of 512 tokens.
// At fault: a thread copies one half. The pattern is that of OpenNMT/CTranslate2, whose pull request 1068
// copies several elements at once in this permutation.
#include <cuda_fp16.h>

#include "../case.cuh"

namespace {

constexpr int kSequences = 64, kTokens = 512, kHeads = 16, kWidth = 128, kThreads = 256;
constexpr int kAll = kSequences * kTokens * kHeads * kWidth, kVector = 8;

// Where the element `i` of the result, which has rows of `width`, comes from.
__device__ int source_of(int i, int width) {
  const int column = i % width, token = i / width % kTokens;
  const int head = i / (width * kTokens) % kHeads, sequence = i / (width * kTokens * kHeads);
  return ((sequence * kTokens + token) * kHeads + head) * width + column;
}

__global__ void heads_by_half(__half* out, const __half* in) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kAll) out[i] = in[source_of(i, kWidth)];  // fault
}

__global__ void heads_by_vector(uint4* out, const uint4* in) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kAll / kVector) out[i] = in[source_of(i, kWidth / kVector)];
}

__global__ void fill_halves(__half2* values) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const auto seed = static_cast<unsigned>(i);
  values[i] = __floats2half2_rn(mixed_fraction(seed), mixed_fraction(seed + (1U << 30)));
}

double weighted_sum(const __half* values) {
  constexpr int kCount = 1 << 22;
  auto* host = pinned_array<__half>(kCount);
  CHECK(cudaMemcpy(host, values, kCount * sizeof(__half), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < kCount; ++i) sum += static_cast<double>(__half2float(host[i])) * (i % 97);
  CHECK(cudaFreeHost(host));
  return sum;
}

Case make(bool by_half) {
  auto* in = device_array<__half>(kAll);
  auto* out = device_array<__half>(kAll);
  fill_halves<<<kAll / 2 / 256, 256>>>(reinterpret_cast<__half2*>(in));
  return {[=] {
            if (by_half) {
              heads_by_half<<<blocks_for(kAll, kThreads), kThreads>>>(out, in);
            } else {
              heads_by_vector<<<blocks_for(kAll / kVector, kThreads), kThreads>>>(
                  reinterpret_cast<uint4*>(out), reinterpret_cast<const uint4*>(in));
            }
          },
          [=] { return weighted_sum(out); }, 1500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
