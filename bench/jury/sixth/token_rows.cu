// A step of a memory of tokens: brings the rows of 1024 tokens from a table of 50,000 words, mixes them
// with the 96 steps before, and keeps them.
// At fault: the rows come by blocks of one thread, so that 31 of 32 lanes are idle. The pattern is that
// of luminal-ai/luminal, pull request 268: blocks of 256 threads, 81 times as fast on an H100.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWords = 50000, kTokens = 1024, kWidth = 512, kSteps = 96, kThreads = 256, kRounds = 2400;
constexpr int kValues = kTokens * kWidth, kFours = kValues / 4;
constexpr float kDecay = 0.96F;

__global__ void bring_rows(float* rows, const float* table, const int* tokens) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  rows[i] = table[tokens[i / kWidth] * kWidth + i % kWidth];  // fault
}

// The newest of the kept steps has the place `newest`; the rows take the place of the oldest, which follows
// it.
__global__ void mix_steps(float4* mixed, float4* steps, const float4* rows, int newest) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float4 sum = rows[i];
  float weight = 1;
#pragma unroll 8
  for (int back = 0; back < kSteps; ++back) {
    weight *= kDecay;
    const float4 four = steps[(newest - back + kSteps) % kSteps * kFours + i];
    sum = make_float4(sum.x + weight * four.x, sum.y + weight * four.y, sum.z + weight * four.z,
                      sum.w + weight * four.w);
  }
  mixed[i] = sum;
  steps[(newest + 1) % kSteps * kFours + i] = rows[i];
}

Case make(bool one_by_one) {
  auto* table = device_array<float>(std::size_t{kWords} * kWidth);
  auto* tokens = device_array<int>(kTokens);
  auto* rows = device_array<float>(kValues);
  auto* mixed = device_array<float>(kValues);
  auto* steps = device_array<float>(std::size_t{kSteps} * kValues);
  fill_fractions(table, std::size_t{kWords} * kWidth, 1);
  fill_below(tokens, kTokens, kWords, 2);
  fill_fractions(steps, std::size_t{kSteps} * kValues, 3);
  auto number = std::make_shared<int>(0);
  return {[=] {
            if (one_by_one) {
              bring_rows<<<kValues, 1>>>(rows, table, tokens);  // fault
            } else {
              bring_rows<<<kValues / kThreads, kThreads>>>(rows, table, tokens);
            }
            mix_steps<<<kFours / kThreads, kThreads>>>(
                reinterpret_cast<float4*>(mixed), reinterpret_cast<float4*>(steps),
                reinterpret_cast<const float4*>(rows), (*number)++ % kSteps);
          },
          [=] { return device_sum(mixed, kValues); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
