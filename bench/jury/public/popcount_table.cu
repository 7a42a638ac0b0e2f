// Counts the bits of each word of 64 bits.
// At fault: it looks each byte up in a table in constant memory, where the lanes of a warp want different
// places. The pattern is that of zjin-lcf/HeCBench, src/popcount-cuda/main.cu: its fifth and sixth kernel.
#include "../case.cuh"

namespace {

constexpr int kWords = 32 << 20, kThreads = 256;

__constant__ unsigned char bits_of_byte[256];

__global__ void popcount_lookup(int* counts, const unsigned long long* words, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const unsigned long long word = words[i];
  int bits = 0;
#pragma unroll
  for (int byte = 0; byte < 8; ++byte) {
    bits += bits_of_byte[word >> (8 * byte) & 0xff];  // fault
  }
  counts[i] = bits;
}

__global__ void popcount_instruction(int* counts, const unsigned long long* words, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) counts[i] = __popcll(words[i]);
}

Case make(bool lookup) {
  auto* words = device_array<unsigned long long>(kWords);
  auto* counts = device_array<int>(kWords);
  fill_below(reinterpret_cast<unsigned*>(words), std::size_t{2} * kWords, 0xffffffffU, 1);
  auto* table = pinned_array<unsigned char>(256);
  for (unsigned byte = 0; byte < 256; ++byte) {
    table[byte] = 0;
    for (unsigned rest = byte; rest != 0; rest &= rest - 1) ++table[byte];
  }
  CHECK(cudaMemcpyToSymbol(bits_of_byte, table, 256));
  CHECK(cudaFreeHost(table));
  return {[=] {
            auto* kernel = lookup ? popcount_lookup : popcount_instruction;
            kernel<<<blocks_for(kWords, kThreads), kThreads>>>(counts, words, kWords);
          },
          [=] { return device_sum(counts, std::size_t{1} << 22); }, 700};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
