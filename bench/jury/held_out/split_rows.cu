// Sends 16 million rows of a table of 64 features of one byte left or right of a threshold, for one feature a
// round. At fault: the features of a row lie side by side, so that neighbouring lanes read bytes 256 bytes
// apart. The pattern is that of microsoft/LightGBM, src/io/cuda/cuda_column_data.cpp, which keeps columns for
// its splits.
#include "../case.cuh"

namespace {

constexpr int kRows = 16 << 20, kFeatures = 64, kThreads = 256, kThreshold = 100;

__device__ unsigned char side_of(unsigned char value) {
  return value > kThreshold ? 1 : 0;
}

__global__ void split_row_major(uchar4* sides, const unsigned char* table, int feature) {
  const unsigned four = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char* from = table + static_cast<std::size_t>(four) * 4 * kFeatures + feature;
  const unsigned char a = from[0], b = from[kFeatures];                  // fault
  const unsigned char c = from[2 * kFeatures], d = from[3 * kFeatures];  // fault
  sides[four] = make_uchar4(side_of(a), side_of(b), side_of(c), side_of(d));
}

__global__ void split_column_major(uchar4* sides, const uchar4* table, int feature) {
  const unsigned four = blockIdx.x * blockDim.x + threadIdx.x;
  const uchar4 values = table[static_cast<std::size_t>(feature) * (kRows / 4) + four];
  sides[four] = make_uchar4(side_of(values.x), side_of(values.y), side_of(values.z), side_of(values.w));
}

__device__ unsigned value_of(unsigned row, unsigned feature) {
  return mixed_bits(row * kFeatures + feature) & 0xffU;
}

__global__ void fill_table(unsigned* words, bool row_major) {
  const unsigned word = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned packed = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned byte = 4 * word + k;
    const unsigned row = row_major ? byte / kFeatures : byte % kRows;
    const unsigned feature = row_major ? byte % kFeatures : byte / kRows;
    packed |= value_of(row, feature) << 8 * k;
  }
  words[word] = packed;
}

Case make(bool row_major) {
  constexpr unsigned kWords = kRows / 4 * kFeatures;
  auto* table = device_array<unsigned>(kWords);
  auto* sides = device_array<uchar4>(kRows / 4);
  fill_table<<<kWords / 256, 256>>>(table, row_major);
  int feature = 0;
  return {[=]() mutable {
            feature = (feature + 1) % kFeatures;
            if (row_major) {
              split_row_major<<<kRows / 4 / kThreads, kThreads>>>(
                  sides, reinterpret_cast<const unsigned char*>(table), feature);
            } else {
              split_column_major<<<kRows / 4 / kThreads, kThreads>>>(
                  sides, reinterpret_cast<const uchar4*>(table), feature);
            }
          },
          [=] { return device_sum(reinterpret_cast<const unsigned char*>(sides), std::size_t{1} << 22); },
          2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
