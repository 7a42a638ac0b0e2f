// A histogram of 1024 bins, small values being the likelier.
// At fault: each value is counted by an atomic in global memory, where all blocks want the same 4 KB.
// The pattern is that of rapidsai/cuml, cpp/src_prims/stats/histogram.cuh: its variants with atomics in
// global and in shared memory.
#include "../case.cuh"

namespace {

constexpr int kCount = 16 << 20, kBins = 1024, kThreads = 256, kBlocks = 132 * 8;

__device__ int bin_of(float value) {
  return static_cast<int>(value * value * kBins);
}

__global__ void histogram_in_global(unsigned* bins, const float* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) atomicAdd(bins + bin_of(values[i]), 1U);  // fault
}

__global__ void histogram_in_shared(unsigned* bins, const float4* values, int fours) {
  __shared__ unsigned own[kBins];
  for (unsigned bin = threadIdx.x; bin < kBins; bin += kThreads) own[bin] = 0;
  __syncthreads();
  const int all = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < fours; i += all) {
    const float4 four = values[i];
    atomicAdd(own + bin_of(four.x), 1U);
    atomicAdd(own + bin_of(four.y), 1U);
    atomicAdd(own + bin_of(four.z), 1U);
    atomicAdd(own + bin_of(four.w), 1U);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < kBins; bin += kThreads) {
    if (own[bin] != 0) atomicAdd(bins + bin, own[bin]);
  }
}

Case make(bool global) {
  auto* values = device_array<float>(kCount);
  auto* bins = device_array<unsigned>(kBins);
  fill_fractions(values, kCount, 1);
  return {[=] {
            CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof(unsigned)));
            if (global) {
              histogram_in_global<<<blocks_for(kCount, kThreads), kThreads>>>(bins, values, kCount);
            } else {
              histogram_in_shared<<<kBlocks, kThreads>>>(bins, reinterpret_cast<const float4*>(values),
                                                         kCount / 4);
            }
          },
          [=] {
            auto* host = pinned_array<unsigned>(kBins);
            CHECK(cudaMemcpy(host, bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
            double sum = 0;
            for (int bin = 0; bin < kBins; ++bin) sum += static_cast<double>(host[bin]) * (bin + 1);
            return sum;
          },
          800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
