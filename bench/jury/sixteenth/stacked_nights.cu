// Puts 16 exposures of a piece of sky together: of the 16 values of a pixel, the four least and the four
// greatest are left out, and the mean of the others is kept. A piece of 16.8 million pixels a round, of
// eight.
// Nothing is at fault. A thread has two pixels, sorts them in registers by a network of minima and maxima
// of 16 bits, two at a time, and all loads lie side by side. The pattern is that of halide/Halide, issue
// 1510 (medians by networks), and openastroproject/openastro, issue 402 (stacks by medians).
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPixels = 1 << 24, kPairs = kPixels / 2, kExposures = 16, kPieces = 8, kLeftOut = 4;
constexpr int kMerges = 4, kThreads = 256, kRounds = 36000;
constexpr unsigned kLow = 0xffffU;

__device__ void put_in_order(unsigned& less, unsigned& greater) {
  const unsigned least = __vminu2(less, greater);
  greater = __vmaxu2(less, greater);
  less = least;
}

// Batcher's network of odd and even merges.
__device__ void sort(unsigned (&values)[kExposures]) {
#pragma unroll
  for (int merge = 0; merge < kMerges; ++merge)
#pragma unroll
    for (int part = 0; part <= merge; ++part)
#pragma unroll
      for (int i = 0; i < kExposures; ++i) {
        const int far = 1 << (merge - part), first = part == 0 ? 0 : far, list = 2 << merge;
        const bool begins = i >= first && (i - first) / far % 2 == 0 && i + far < kExposures;
        if (begins && i / list == (i + far) / list) put_in_order(values[i], values[i + far]);
      }
}

__global__ void __launch_bounds__(kThreads)
    stack(unsigned* __restrict__ sky, const unsigned* __restrict__ exposures) {
  const int pair = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  unsigned values[kExposures];
#pragma unroll
  for (int i = 0; i < kExposures; ++i) values[i] = exposures[i * kPairs + pair];
  sort(values);
  unsigned low = 0, high = 0;
#pragma unroll
  for (int i = kLeftOut; i < kExposures - kLeftOut; ++i) {
    low += values[i] & kLow;
    high += values[i] >> 16;
  }
  constexpr unsigned kKept = kExposures - 2 * kLeftOut;
  sky[pair] = (low + kKept / 2) / kKept | (high + kKept / 2) / kKept << 16;
}

// Noise on a sky with some stars; a hundredth of the values were hit by something else.
__global__ void __launch_bounds__(kThreads) expose(unsigned short* exposure, unsigned number) {
  const unsigned pixel = blockIdx.x * kThreads + threadIdx.x;
  const unsigned star = mixed_bits(pixel / 4) % 50 == 0 ? 20000 : 0;
  const unsigned noise = mixed_bits(pixel + number * 0x01000000U), hit = noise % 100 == 0 ? 30000 : 0;
  exposure[pixel] = static_cast<unsigned short>(1000 + star + hit + (noise >> 8) % 500);
}

Case make() {
  constexpr std::size_t kPiece = std::size_t{kExposures} * kPairs;
  auto *exposures = device_array<unsigned>(kPieces * kPiece), *sky = device_array<unsigned>(kPairs);
  for (unsigned number = 0; number < kPieces * kExposures; ++number) {
    auto* exposure = reinterpret_cast<unsigned short*>(exposures + std::size_t{number} * kPairs);
    expose<<<kPixels / kThreads, kThreads>>>(exposure, number);
  }
  CHECK(cudaGetLastError());
  auto round = std::make_shared<std::size_t>(0);
  return {[=] { stack<<<kPairs / kThreads, kThreads>>>(sky, exposures + (*round)++ % kPieces * kPiece); },
          [=] { return device_sum(reinterpret_cast<const unsigned short*>(sky), kPixels); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
