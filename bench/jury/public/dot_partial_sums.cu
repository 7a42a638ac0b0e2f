// The dot product of two vectors of 64 million doubles.
// Nothing is wrong: the blocks go through both vectors in order and leave a sum each, which one more block
// adds up. The pattern is that of UoB-HPC/BabelStream, src/cuda/CUDAStream.cu.
#include "../case.cuh"

namespace {

constexpr int kThreads = 512, kBlocks = 528;
constexpr std::size_t kPairs = 32 << 20;

__device__ double sum_of_block(double sum) {
  __shared__ double of_warps[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffU, sum, offset);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < kThreads / 32; ++warp) sum += of_warps[warp];
  }
  return sum;
}

__global__ void dot_of_blocks(double* sums, const double2* a, const double2* b) {
  double sum = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < kPairs;
       i += static_cast<std::size_t>(kBlocks) * kThreads) {
    const double2 x = a[i], y = b[i];
    sum += x.x * y.x + x.y * y.y;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void add_blocks(double* total, const double* sums) {
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kBlocks; i += kThreads) sum += sums[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *total = sum;
}

Case make() {
  auto* a = device_array<double2>(kPairs);
  auto* b = device_array<double2>(kPairs);
  auto* sums = device_array<double>(kBlocks + 1);
  fill_fractions(reinterpret_cast<double*>(a), 2 * kPairs, 1);
  fill_fractions(reinterpret_cast<double*>(b), 2 * kPairs, 2);
  return {[=] {
            dot_of_blocks<<<kBlocks, kThreads>>>(sums, a, b);
            add_blocks<<<1, kThreads>>>(sums + kBlocks, sums);
          },
          [=] { return device_sum(sums + kBlocks, 1); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
