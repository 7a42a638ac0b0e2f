// A histogram of measured values, of which small ones are more frequent, in 128 bins.
// Fault: all threads add to the bins in global memory. Repair: each block has bins of its own.
#include "../case.cuh"

namespace {

constexpr unsigned kBins = 128, kCount = 1U << 23;

__device__ unsigned bin_of(float value) {
  return min(static_cast<unsigned>(value * value * kBins), kBins - 1);
}

__global__ void count_in_global(const float* values, unsigned* bins, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[bin_of(values[i])], 1U);  // fault
}

__global__ void count_in_blocks(const float* values, unsigned* bins, unsigned n) {
  __shared__ unsigned mine[kBins];
  for (unsigned k = threadIdx.x; k < kBins; k += blockDim.x) mine[k] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[bin_of(values[i])], 1U);
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kBins; k += blockDim.x) atomicAdd(&bins[k], mine[k]);
}

Case side(decltype(&count_in_global) kernel, unsigned blocks) {
  float* values = device_array<float>(kCount);
  unsigned* bins = device_array<unsigned>(kBins);
  fill_fractions(values, kCount, 7);
  return {[=] {
            CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof(unsigned)));
            kernel<<<blocks, 256>>>(values, bins, kCount);
          },
          [=] { return device_sum(bins, kBins / 4); }, 300};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(count_in_global, blocks_for(kCount, 256)); },
      [] { return side(count_in_blocks, 132 * 8); });
}
