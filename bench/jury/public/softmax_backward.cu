// The gradient of a causal softmax over the scores of attention, a row of scores at a time.
// At fault: each thread walks along its own row, so that the lanes of a warp read 32 rows at once.
// The pattern is that of karpathy/llm.c, dev/cuda/attention_backward.cu: softmax backward, kernels 2 and 3.
#include "../case.cuh"

namespace {

constexpr int kTokens = 256, kHeads = 24, kThreads = 256;
constexpr float kScale = 0.125F;

__global__ void scores_gradient_by_thread(float* out, const float* gradient, const float* weights,
                                          int tokens) {
  const int key = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (key >= tokens) return;
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * tokens * tokens;
  for (int query = key; query < tokens; ++query) {
    const float* weight_row = weights + head + static_cast<std::size_t>(query) * tokens;
    const float* gradient_row = gradient + head + static_cast<std::size_t>(query) * tokens;
    const float own = weight_row[key];
    float sum = 0;
    for (int other = 0; other <= query; ++other) {
      sum += weight_row[other] * ((other == key ? 1.0F : 0.0F) - own) * gradient_row[other];  // fault
    }
    out[head + static_cast<std::size_t>(query) * tokens + key] = kScale * sum;
  }
}

// A warp walks along the row of each query.
__global__ void scores_gradient_by_warp(float* out, const float* gradient, const float* weights, int tokens) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int key = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (key >= tokens) return;
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * tokens * tokens;
  for (int query = key; query < tokens; ++query) {
    const float* weight_row = weights + head + static_cast<std::size_t>(query) * tokens;
    const float* gradient_row = gradient + head + static_cast<std::size_t>(query) * tokens;
    const float own = weight_row[key];
    float sum = 0;
    for (int other = lane; other <= query; other += 32) {
      sum += weight_row[other] * ((other == key ? 1.0F : 0.0F) - own) * gradient_row[other];
    }
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, offset);
    if (lane == 0) out[head + static_cast<std::size_t>(query) * tokens + key] = kScale * sum;
  }
}

Case make(bool by_thread) {
  const std::size_t words = static_cast<std::size_t>(kHeads) * kTokens * kTokens;
  float* out = device_array<float>(words);
  float* gradient = device_array<float>(words);
  float* weights = device_array<float>(words);
  CHECK(cudaMemset(out, 0, words * sizeof(float)));
  fill_fractions(gradient, words, 1);
  fill_fractions(weights, words, 2);
  return {[=] {
            const unsigned threads = by_thread ? kTokens : kTokens * 32;
            const dim3 blocks(blocks_for(threads, kThreads), kHeads);
            auto* kernel = by_thread ? scores_gradient_by_thread : scores_gradient_by_warp;
            kernel<<<blocks, kThreads>>>(out, gradient, weights, kTokens);
          },
          [=] { return device_sum(out, words); }, 100};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
