// Saves 512 blocks of 16 KB of a cache of keys and values to the host, after each token.
// At fault: a copy for each block. The pattern is that of llm-d/llm-d-kv-cache, whose pull request 607
// submits all blocks at once; here a kernel gathers them and one copy takes them.
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kBlocks = 8192, kChosen = 512, kWords = 4096, kThreads = 256, kRounds = 500;
constexpr std::size_t kBytes = sizeof(float) * kWords;

int chosen_block(int k) {
  return static_cast<int>(mixed_bits(static_cast<unsigned>(k)) % (kBlocks / kChosen)) +
         k * (kBlocks / kChosen);
}

// A token's words in each of the chosen blocks.
__global__ void append(float4* cache, const int* chosen, int round) {
  const float value = static_cast<float>(round % 16);
  cache[static_cast<std::size_t>(chosen[blockIdx.x]) * (kWords / 4) + threadIdx.x] =
      make_float4(value, value, value, value);
}

__global__ void gather(float4* out, const float4* cache, const int* chosen) {
  const float4* from = cache + static_cast<std::size_t>(chosen[blockIdx.x]) * (kWords / 4);
  float4* to = out + static_cast<std::size_t>(blockIdx.x) * (kWords / 4);
#pragma unroll
  for (int i = 0; i < kWords / 4; i += kThreads) to[i + threadIdx.x] = from[i + threadIdx.x];
}

struct Buffers {
  float *cache, *saved;
  int* chosen;
};

Buffers made_buffers() {
  const Buffers b{device_array<float>(std::size_t{kBlocks} * kWords),
                  pinned_array<float>(std::size_t{kChosen} * kWords), device_array<int>(kChosen)};
  fill_fractions(b.cache, std::size_t{kBlocks} * kWords, 1);
  auto* chosen = pinned_array<int>(kChosen);
  for (int k = 0; k < kChosen; ++k) chosen[k] = chosen_block(k);
  CHECK(cudaMemcpy(b.chosen, chosen, kChosen * sizeof(int), cudaMemcpyHostToDevice));
  return b;
}

double sum_on_host(const float* values) {
  double sum = 0;
  for (int i = 0; i < kChosen * kWords; ++i) sum += static_cast<double>(values[i]);
  return sum;
}

Case by_blocks() {
  const Buffers b = made_buffers();
  int round = 0;
  return {[=]() mutable {
            append<<<kChosen, kThreads>>>(reinterpret_cast<float4*>(b.cache), b.chosen, round++);
            for (int k = 0; k < kChosen; ++k) {
              const float* from = b.cache + static_cast<std::size_t>(chosen_block(k)) * kWords;
              CHECK(cudaMemcpyAsync(b.saved + k * kWords, from, kBytes, cudaMemcpyDeviceToHost));  // fault
            }
          },
          [=] { return sum_on_host(b.saved); }, kRounds};
}

Case at_once() {
  const Buffers b = made_buffers();
  auto* staged = device_array<float>(std::size_t{kChosen} * kWords);
  int round = 0;
  return {[=]() mutable {
            auto* cache = reinterpret_cast<float4*>(b.cache);
            append<<<kChosen, kThreads>>>(cache, b.chosen, round++);
            gather<<<kChosen, kThreads>>>(reinterpret_cast<float4*>(staged), cache, b.chosen);
            CHECK(cudaMemcpyAsync(b.saved, staged, kChosen * kBytes, cudaMemcpyDeviceToHost));
          },
          [=] { return sum_on_host(b.saved); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, by_blocks, at_once);
}
