// Clean: a sum by grid-stride loads of 16 bytes and shuffles. One lane of a warp and one thread of a block
// store.
#include "../case.cuh"

namespace {

constexpr unsigned kCount = 1U << 26, kBlock = 256, kBlocks = 132 * 8;

__device__ float sum_of_block(float sum) {
  __shared__ float sums[kBlock / 32];
  for (unsigned other = 16; other > 0; other /= 2) sum += __shfl_down_sync(0xffffffffU, sum, other);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  sum = threadIdx.x < kBlock / 32 ? sums[threadIdx.x] : 0;
  for (unsigned other = 4; other > 0; other /= 2) sum += __shfl_down_sync(0xffffffffU, sum, other);
  return sum;
}

__global__ void sum_parts(const float4* in, float* parts, unsigned n) {
  float sum = 0;
  for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

__global__ void sum_of_parts(const float* parts, float* out, unsigned n) {
  float sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += kBlock) sum += parts[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *out = sum;
}

Case clean() {
  float* in = device_array<float>(kCount);
  float* parts = device_array<float>(kBlocks);
  float* out = device_array<float>(1);
  fill_fractions(in, kCount, 104);
  return {[=] {
            sum_parts<<<kBlocks, kBlock>>>(reinterpret_cast<const float4*>(in), parts, kCount / 4);
            sum_of_parts<<<1, kBlock>>>(parts, out, kBlocks);
          },
          [=] { return device_sum(out, 1); }, 3000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
