// Sums of blocks of 256 floats, in shared memory.
// Fault: the threads' words lie 2, 4, 8, ... apart, in few banks. Repair: halves of neighbouring words.
#include "../case.cuh"

namespace {

constexpr unsigned kBlock = 256;
constexpr std::size_t kCount = std::size_t{1} << 26;

__global__ void sum_interleaved(const float* in, float* sums) {
  __shared__ float part[kBlock];
  part[threadIdx.x] = in[blockIdx.x * kBlock + threadIdx.x];
  for (unsigned apart = 1; apart < kBlock; apart *= 2) {
    __syncthreads();
    const unsigned i = 2 * apart * threadIdx.x;
    if (i < kBlock) part[i] += part[i + apart];  // fault
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void sum_sequential(const float* in, float* sums) {
  __shared__ float part[kBlock];
  part[threadIdx.x] = in[blockIdx.x * kBlock + threadIdx.x];
  for (unsigned apart = kBlock / 2; apart > 0; apart /= 2) {
    __syncthreads();
    if (threadIdx.x < apart) part[threadIdx.x] += part[threadIdx.x + apart];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

Case side(decltype(&sum_sequential) kernel) {
  float* in = device_array<float>(kCount);
  float* sums = device_array<float>(kCount / kBlock);
  fill_fractions(in, kCount, 4);
  return {[=] { kernel<<<kCount / kBlock, kBlock>>>(in, sums); },
          [=] { return device_sum(sums, kCount / kBlock); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(sum_interleaved); }, [] { return side(sum_sequential); });
}
