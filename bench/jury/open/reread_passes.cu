// The first four moments of 64 million values.
// Fault: four passes over data that L2 cannot hold, in one launch. Repair: one pass for all moments.
#include "../case.cuh"

namespace {

constexpr unsigned kCount = 1U << 26, kMoments = 4, kBlock = 256, kBlocks = 132 * 8,
                   kThreads = kBlock * kBlocks;

__device__ float power(float value, unsigned exponent) {
  float result = value;
  for (unsigned k = 1; k < exponent; ++k) result *= value;
  return result;
}

// Of each moment the sums of all threads.
__global__ void moments_by_passes(const float* in, float* sums) {
  const unsigned t = blockIdx.x * kBlock + threadIdx.x;
  for (unsigned moment = 0; moment < kMoments; ++moment) {
    float sum = 0;
    for (unsigned i = t; i < kCount; i += kThreads) sum += power(in[i], moment + 1);  // fault
    sums[moment * kThreads + t] = sum;
  }
}

__global__ void moments_at_once(const float* in, float* sums) {
  const unsigned t = blockIdx.x * kBlock + threadIdx.x;
  float first = 0, second = 0, third = 0, fourth = 0;
  for (unsigned i = t; i < kCount; i += kThreads) {
    const float value = in[i], square = value * value;
    first += value;
    second += square;
    third += square * value;
    fourth += square * square;
  }
  sums[t] = first;
  sums[kThreads + t] = second;
  sums[2 * kThreads + t] = third;
  sums[3 * kThreads + t] = fourth;
}

Case side(decltype(&moments_at_once) kernel) {
  float* in = device_array<float>(kCount);
  float* sums = device_array<float>(kMoments * kThreads);
  fill_fractions(in, kCount, 31);
  return {[=] { kernel<<<kBlocks, kBlock>>>(in, sums); },
          [=] { return device_sum(sums, kMoments * kThreads); }, 900};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(moments_by_passes); }, [] { return side(moments_at_once); });
}
