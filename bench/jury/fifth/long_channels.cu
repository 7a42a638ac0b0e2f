// The energies of eight channels of a recording, four million samples each.
// At fault: a block adds up a whole channel, so eight multiprocessors work and the others idle. The pattern
// is that of NVIDIA/cccl, DeviceSegmentedReduce with few long segments, whose pull request 7114 cuts a
// segment into chunks for many blocks and adds up their sums.
#include "../case.cuh"

namespace {

constexpr int kChannels = 8, kSamples = 4 << 20, kFours = kSamples / 4, kChunks = 256,
              kChunk = kFours / kChunks;
constexpr int kWide = 1024, kThreads = 256;

// In the block's first thread.
__device__ float sum_of_block(float sum) {
  __shared__ float parts[32];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  return sum;
}

__device__ float energy(float4 four) {
  return four.x * four.x + four.y * four.y + four.z * four.z + four.w * four.w;
}

__global__ void energy_by_channel(float* energies, const float4* samples) {
  const float4* own = samples + std::size_t{blockIdx.x} * kFours;
  float sum = 0;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < kFours; i += kWide) sum += energy(own[i]);  // fault
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) energies[blockIdx.x] = sum;
}

__global__ void energy_by_chunk(float* chunks, const float4* samples) {
  const float4* own = samples + std::size_t{blockIdx.x} * kChunk;
  float sum = 0;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < kChunk; i += kThreads) sum += energy(own[i]);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) chunks[blockIdx.x] = sum;
}

__global__ void join_chunks(float* energies, const float* chunks) {
  const float sum = sum_of_block(chunks[blockIdx.x * kChunks + threadIdx.x]);
  if (threadIdx.x == 0) energies[blockIdx.x] = sum;
}

Case make(bool by_channel) {
  auto* samples = device_array<float>(std::size_t{kChannels} * kSamples);
  auto* chunks = device_array<float>(std::size_t{kChannels} * kChunks);
  auto* energies = device_array<float>(kChannels);
  fill_fractions(samples, std::size_t{kChannels} * kSamples, 1);
  return {[=] {
            const auto* fours = reinterpret_cast<const float4*>(samples);
            if (by_channel) {
              energy_by_channel<<<kChannels, kWide>>>(energies, fours);  // fault
            } else {
              energy_by_chunk<<<kChannels * kChunks, kThreads>>>(chunks, fours);
              join_chunks<<<kChannels, kChunks>>>(energies, chunks);
            }
          },
          [=] { return device_sum(energies, kChannels); }, 1500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
