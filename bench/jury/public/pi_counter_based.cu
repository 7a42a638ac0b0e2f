// Counts how many of 1.1 billion random points lie in a circle.
// Nothing is wrong: the numbers come from a counter, so that no generator's state is read or written, and a
// block adds its count once. The pattern is that of pangenome/odgi, whose pull request 599 proposes such
// generators.
#include "../case.cuh"

namespace {

constexpr int kThreads = 256, kBlocks = 1056, kPointsOfThread = 4096;

// Ten rounds of Philox on two words.
__device__ uint2 random_pair(unsigned counter, unsigned stream) {
  unsigned key = 0xa341316cU;
  uint2 word = make_uint2(counter, stream);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned high = __umulhi(0xd256d193U, word.x), low = 0xd256d193U * word.x;
    word = make_uint2(high ^ key ^ word.y, low);
    key += 0x9e3779b9U;
  }
  return word;
}

__global__ void count_inside(unsigned long long* inside, unsigned first) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned count = 0;
  for (unsigned i = 0; i < kPointsOfThread; ++i) {
    const uint2 pair = random_pair(first + i, thread);
    const float x = static_cast<float>(pair.x) * 0x1p-32F, y = static_cast<float>(pair.y) * 0x1p-32F;
    count += x * x + y * y < 1 ? 1 : 0;
  }
  __shared__ unsigned of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  for (int offset = 16; offset > 0; offset /= 2) count += __shfl_down_sync(0xffffffffU, count, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(&of_block, count);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(inside, static_cast<unsigned long long>(of_block));
}

Case make() {
  auto* inside = device_array<unsigned long long>(1);
  return {[=] {
            CHECK(cudaMemsetAsync(inside, 0, sizeof(unsigned long long)));
            count_inside<<<kBlocks, kThreads>>>(inside, 1);
          },
          [=] { return device_sum(inside, 1); }, 300};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
