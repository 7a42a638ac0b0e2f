// A matrix of signed bytes with a scale for each row, times a vector of signed bytes.
// Nothing is wrong: a warp reads its row 16 bytes a lane, and multiplies four bytes at a time.
// The pattern is that of ggml-org/llama.cpp, ggml/src/ggml-cuda/mmvq.cu, with the scales apart from the
// weights.
#include "../case.cuh"

namespace {

constexpr int kRows = 32768, kColumns = 8192, kThreads = 256, kSixteens = kColumns / 16;

__global__ void matvec_bytes(float* y, const int4* weights, const float* scales, const int4* x, float scale,
                             int rows) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (row >= rows) return;
  int sum = 0;
#pragma unroll 4
  for (int i = lane; i < kSixteens; i += 32) {
    const int4 w = weights[static_cast<std::size_t>(row) * kSixteens + i], v = x[i];
    sum = __dp4a(w.x, v.x, __dp4a(w.y, v.y, __dp4a(w.z, v.z, __dp4a(w.w, v.w, sum))));
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, offset);
  if (lane == 0) y[row] = static_cast<float>(sum) * scales[row] * scale;
}

// Bytes above zero, so that the sum is far from zero.
__global__ void keep_low_bits(unsigned* words, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) words[i] &= 0x3f3f3f3fU;
}

Case make() {
  constexpr std::size_t kWords = static_cast<std::size_t>(kRows) * kColumns / 4;
  auto* weights = device_array<unsigned>(kWords);
  auto* x = device_array<unsigned>(kColumns / 4);
  auto* scales = device_array<float>(kRows);
  auto* y = device_array<float>(kRows);
  fill_below(weights, kWords, 0xffffffffU, 1);
  fill_below(x, kColumns / 4, 0xffffffffU, 2);
  fill_fractions(scales, kRows, 3);
  keep_low_bits<<<blocks_for(kWords, 256), 256>>>(weights, kWords);
  keep_low_bits<<<blocks_for(kColumns / 4, 256), 256>>>(x, kColumns / 4);
  return {[=] {
            matvec_bytes<<<blocks_for(std::size_t{32} * kRows, kThreads), kThreads>>>(
                y, reinterpret_cast<const int4*>(weights), scales, reinterpret_cast<const int4*>(x), 0.01F,
                kRows);
          },
          [=] { return device_sum(y, kRows); }, 4000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
