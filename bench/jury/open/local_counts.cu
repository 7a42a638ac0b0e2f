// Finds the most frequent of 16 classes in 64 samples of each pixel.
// Fault: a thread's array of counts is indexed at run time, so that it lies in local memory. Repair: shared
// memory, where a thread has a bank of its own.
#include "../case.cuh"

namespace {

constexpr unsigned kPixels = 1U << 20, kWords = 16, kClasses = 16, kBlock = 128;

// Sample words lie pixel by pixel for each of the 16 words; each has four classes, of 8 bits each.
__global__ void vote_locally(const unsigned* samples, unsigned* winner) {
  const unsigned pixel = blockIdx.x * kBlock + threadIdx.x;
  unsigned counts[kClasses] = {};
  for (unsigned w = 0; w < kWords; ++w) {
    const unsigned four = samples[w * kPixels + pixel];
    for (unsigned bits = 0; bits < 32; bits += 8) ++counts[(four >> bits) % kClasses];  // fault
  }
  unsigned best = 0;
  for (unsigned k = 1; k < kClasses; ++k)
    if (counts[k] > counts[best]) best = k;  // fault
  winner[pixel] = best;
}

__global__ void vote_in_shared(const unsigned* samples, unsigned* winner) {
  __shared__ unsigned counts[kClasses][kBlock];
  const unsigned pixel = blockIdx.x * kBlock + threadIdx.x, mine = threadIdx.x;
  for (unsigned k = 0; k < kClasses; ++k) counts[k][mine] = 0;
  for (unsigned w = 0; w < kWords; ++w) {
    const unsigned four = samples[w * kPixels + pixel];
    for (unsigned bits = 0; bits < 32; bits += 8) ++counts[(four >> bits) % kClasses][mine];
  }
  unsigned best = 0, most = counts[0][mine];
  for (unsigned k = 1; k < kClasses; ++k) {
    const unsigned count = counts[k][mine];
    if (count <= most) continue;
    best = k;
    most = count;
  }
  winner[pixel] = best;
}

Case side(decltype(&vote_locally) kernel) {
  unsigned* samples = device_array<unsigned>(kPixels * kWords);
  unsigned* winner = device_array<unsigned>(kPixels);
  fill_below(samples, kPixels * kWords, 0xffffffffU, 27);
  return {[=] { kernel<<<kPixels / kBlock, kBlock>>>(samples, winner); },
          [=] { return device_sum(winner, kPixels); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(vote_locally); }, [] { return side(vote_in_shared); });
}
