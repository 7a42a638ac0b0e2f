// Turns pairs of queries by angles that grow with their position: 16,384 tokens, 32 heads of 128 floats.
// Nothing is wrong: the halves of a head are read in order, and the angles come from L2. The pattern is that
// of vllm-project/vllm, csrc/pos_encoding_kernels.cu.
#include "../case.cuh"

namespace {

constexpr int kTokens = 16384, kHeads = 32, kHead = 128, kHalf = kHead / 2, kThreads = 256;

__global__ void rotate_queries(float* queries, const float* cosines, const float* sines,
                               const int* positions) {
  const int token = static_cast<int>(blockIdx.x);
  const int position = positions[token];
  for (int i = static_cast<int>(threadIdx.x); i < kHeads * kHalf; i += kThreads) {
    const int head = i / kHalf, pair = i % kHalf;
    const float cosine = cosines[position * kHalf + pair], sine = sines[position * kHalf + pair];
    float* low = queries + (token * kHeads + head) * kHead + pair;
    const float x = low[0], y = low[kHalf];
    low[0] = x * cosine - y * sine;
    low[kHalf] = y * cosine + x * sine;
  }
}

__global__ void fill_angles(float* cosines, float* sines) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kTokens * kHalf) return;
  const float angle = static_cast<float>(i / kHalf) *
                      __powf(10000.0F, -static_cast<float>(i % kHalf) / static_cast<float>(kHalf));
  cosines[i] = cosf(angle), sines[i] = sinf(angle);
}

__global__ void fill_positions(int* positions) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kTokens) positions[i] = i % 4096;
}

Case make() {
  constexpr std::size_t kWords = std::size_t{kTokens} * kHeads * kHead;
  auto* queries = device_array<float>(kWords);
  auto* cosines = device_array<float>(std::size_t{kTokens} * kHalf);
  auto* sines = device_array<float>(std::size_t{kTokens} * kHalf);
  auto* positions = device_array<int>(kTokens);
  fill_fractions(queries, kWords, 1);
  fill_angles<<<blocks_for(std::size_t{kTokens} * kHalf, 256), 256>>>(cosines, sines);
  fill_positions<<<blocks_for(kTokens, 256), 256>>>(positions);
  return {[=] { rotate_queries<<<kTokens, kThreads>>>(queries, cosines, sines, positions); },
          [=] { return device_sum(queries, std::size_t{1} << 22); }, 2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
