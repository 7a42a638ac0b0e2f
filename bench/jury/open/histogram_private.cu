// Clean: a histogram of bytes, loaded 16 at a time, in counters that each warp has for itself.
#include "../case.cuh"

namespace {

constexpr unsigned kBins = 256, kBlock = 256, kWarps = kBlock / 32, kBlocks = 132 * 6, kBytes = 1U << 27;

__device__ void count_word(unsigned* bins, unsigned word) {
  for (unsigned bits = 0; bits < 32; bits += 8) atomicAdd(&bins[(word >> bits) & 255], 1U);
}

__global__ void count_bytes_by_warps(const uint4* in, unsigned* bins, unsigned n) {
  __shared__ unsigned of_warps[kWarps][kBins];
  for (unsigned warp = 0; warp < kWarps; ++warp) of_warps[warp][threadIdx.x] = 0;
  __syncthreads();
  unsigned* mine = of_warps[threadIdx.x / 32];
  for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) {
    const uint4 v = in[i];
    count_word(mine, v.x);
    count_word(mine, v.y);
    count_word(mine, v.z);
    count_word(mine, v.w);
  }
  __syncthreads();
  unsigned sum = 0;
  for (unsigned warp = 0; warp < kWarps; ++warp) sum += of_warps[warp][threadIdx.x];
  atomicAdd(&bins[threadIdx.x], sum);
}
static_assert(kBlock == kBins);

Case clean() {
  unsigned* in = device_array<unsigned>(kBytes / 4);
  unsigned* bins = device_array<unsigned>(kBins);
  fill_below(in, kBytes / 4, 0xffffffffU, 110);
  return {[=] {
            CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof(unsigned)));
            count_bytes_by_warps<<<kBlocks, kBlock>>>(reinterpret_cast<const uint4*>(in), bins, kBytes / 16);
          },
          [=] { return device_sum(bins, kBins / 2); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
