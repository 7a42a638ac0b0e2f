// The sum of each token's embedding and its position's.
// Nothing is wrong: a token's row lies anywhere, but its 3 KB are read in order, 16 bytes a lane.
// The pattern is that of karpathy/llm.c, dev/cuda/encoder_forward.cu: kernel 3.
#include "../case.cuh"

namespace {

constexpr int kTokens = 64 * 1024, kPositions = 1024, kFours = 192, kVocabulary = 50257;

__global__ void __launch_bounds__(kFours)
    embed(float4* out, const int* tokens, const float4* words, const float4* positions) {
  const int i = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x);
  const float4 word = words[static_cast<std::size_t>(tokens[i]) * kFours + lane];
  const float4 position = positions[i % kPositions * kFours + lane];
  out[static_cast<std::size_t>(i) * kFours + lane] =
      make_float4(word.x + position.x, word.y + position.y, word.z + position.z, word.w + position.w);
}

Case make() {
  constexpr std::size_t kRow = std::size_t{4} * kFours;
  auto* tokens = device_array<int>(kTokens);
  auto* words = device_array<float>(kVocabulary * kRow);
  auto* positions = device_array<float>(kPositions * kRow);
  auto* out = device_array<float>(kTokens * kRow);
  fill_below(tokens, kTokens, kVocabulary, 1);
  fill_fractions(words, kVocabulary * kRow, 2);
  fill_fractions(positions, kPositions * kRow, 3);
  return {[=] {
            embed<<<kTokens, kFours>>>(reinterpret_cast<float4*>(out), tokens,
                                       reinterpret_cast<const float4*>(words),
                                       reinterpret_cast<const float4*>(positions));
          },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 2500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
