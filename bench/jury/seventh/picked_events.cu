// Picks the one in eight of 64 million events of a detector that is above a threshold, and lists them.
// Nothing is wrong: a block counts what it keeps in registers and shared memory and takes its places by one
// atomic, and lanes that write stand side by side. The pattern is that of NVIDIA/cuda-samples,
// Samples/3_CUDA_Features/warpAggregatedAtomicsCG.
#include "../case.cuh"

namespace {

constexpr int kEvents = 1 << 26, kThreads = 256, kWarps = kThreads / 32, kFoursEach = 4;
constexpr int kFours = kEvents / 4, kBlocks = kFours / kThreads / kFoursEach;
constexpr float kThreshold = 0.875F;

__device__ unsigned lanes_before() {
  return (1U << threadIdx.x % 32) - 1;
}

__global__ void __launch_bounds__(kThreads) pick(float* picked, unsigned* count, const float4* events) {
  __shared__ unsigned firsts[kWarps], place;
  const int warp = static_cast<int>(threadIdx.x / 32);
  float own[kFoursEach * 4];
  unsigned masks[kFoursEach * 4], kept = 0;
#pragma unroll
  for (int i = 0; i < kFoursEach; ++i) {
    const float4 four = events[(blockIdx.x * kFoursEach + i) * kThreads + threadIdx.x];
    own[4 * i] = four.x, own[4 * i + 1] = four.y, own[4 * i + 2] = four.z, own[4 * i + 3] = four.w;
  }
#pragma unroll
  for (int i = 0; i < kFoursEach * 4; ++i) {
    masks[i] = __ballot_sync(0xffffffffU, own[i] >= kThreshold);
    kept += __popc(masks[i]);
  }
  if (threadIdx.x % 32 == 0) firsts[warp] = kept;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (unsigned& first : firsts) {
      const unsigned number = first;
      first = sum;
      sum += number;
    }
    place = atomicAdd(count, sum);
  }
  __syncthreads();
  unsigned next = place + firsts[warp];
#pragma unroll
  for (int i = 0; i < kFoursEach * 4; ++i) {
    if (own[i] >= kThreshold) picked[next + __popc(masks[i] & lanes_before())] = own[i];
    next += __popc(masks[i]);
  }
}

Case make() {
  auto* events = device_array<float>(kEvents);
  auto* picked = device_array<float>(kEvents / 4);
  auto* count = device_array<unsigned>(1);
  fill_fractions(events, kEvents, 1);
  return {[=] {
            CHECK(cudaMemsetAsync(count, 0, sizeof(unsigned)));
            pick<<<kBlocks, kThreads>>>(picked, count, reinterpret_cast<const float4*>(events));
          },
          [=] {
            const double number = device_sum(count, 1);
            return number + device_sum(picked, static_cast<std::size_t>(number));
          },
          1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
