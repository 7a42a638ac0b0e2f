// Unpacks four columns of 67,108,864 decimal numbers: whole numbers of 6, 11, 17 and 23 bits above a least
// one (frame of reference), which are multiples of a power of ten.
// Nothing is wrong: a number's bits may be in two words, which are 128 bytes apart, but the lanes of a warp
// read neighbouring words and write neighbouring numbers, and all is decoded in one kernel. The pattern is
// that of vortex-data/vortex, pull requests 6145 and 6483: bits in the order of FastLanes, fused decoding.
#include <cstdint>

#include "../case.cuh"

namespace {

using Word = std::uint32_t;

constexpr int kLanes = 32, kEach = 32, kBlock = kLanes * kEach, kThreads = 256, kRounds = 4000;
constexpr std::size_t kValues = std::size_t{1} << 26, kBlocks = kValues / kBlock;

struct Column {
  Word* packed;
  float* values;
  int least;
  float unit;
};

// A warp has a block of 1024 numbers. Its lane has every 32nd of them, in kBits words 32 words apart.
template <int kBits>
__global__ void __launch_bounds__(kThreads) unpack(Column column) {
  constexpr Word kMask = (Word{1} << kBits) - 1;
  const std::size_t block = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) / kLanes;
  const unsigned lane = threadIdx.x % kLanes;
  const Word* packed = column.packed + block * kLanes * kBits + lane;
  float* values = column.values + block * kBlock + lane;
  Word words[kBits];
#pragma unroll
  for (int i = 0; i < kBits; ++i) words[i] = packed[i * kLanes];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int first = i * kBits / 32, shift = i * kBits % 32;
    Word bits = words[first] >> shift;
    if (shift + kBits > 32) bits |= words[(first + 1) % kBits] << (32 - shift);
    values[i * kLanes] = column.unit * static_cast<float>(column.least + static_cast<int>(bits & kMask));
  }
}

Column made_column(int bits, int least, float unit) {
  const std::size_t words = kBlocks * kLanes * static_cast<std::size_t>(bits);
  const Column column{device_array<Word>(words), device_array<float>(kValues), least, unit};
  fill_below(column.packed, words, 0xffffffffU, static_cast<unsigned>(bits));
  return column;
}

template <int kBits>
void unpack_column(const Column& column) {
  unpack<kBits><<<blocks_for(kBlocks * kLanes, kThreads), kThreads>>>(column);
}

Case make() {
  const Column prices = made_column(23, 1000, 0.01F), amounts = made_column(11, 1, 1);
  const Column days = made_column(17, 10000, 1), rates = made_column(6, 0, 0.001F);
  return {[=] {
            unpack_column<23>(prices);
            unpack_column<11>(amounts);
            unpack_column<17>(days);
            unpack_column<6>(rates);
          },
          [=] {
            double sum = 0;
            for (const Column& column : {prices, amounts, days, rates}) {
              sum += device_sum(column.values, kValues / 8);
            }
            return sum;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
