// Uploads a batch of 64 MB each round and adds up its values.
// At fault: the batches lie in ordinary memory of the host, so that the driver copies each one through a
// buffer of its own. The pattern is that of NVIDIA-developer-blog/code-samples,
// series/cuda-cpp/optimize-data-transfers/bandwidthtest.cu.
#include <array>

#include "../case.cuh"

namespace {

constexpr std::size_t kWords = 16 << 20, kBytes = kWords * sizeof(float);
constexpr int kThreads = 256, kBlocks = 132 * 8;

__global__ void add_up_batch(float* total, const float4* batch, int fours) {
  __shared__ float partial[kThreads / 32];
  float sum = 0;
  const int all = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < fours; i += all) {
    const float4 four = batch[i];
    sum += four.x + four.y + four.z + four.w;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) sum += partial[warp];
  atomicAdd(total, sum);
}

// Two streams take turns, so that the next upload need not wait for the sum of the last one.
struct Lane {
  cudaStream_t stream;
  float *host, *device, *total;
};

float* batch_on_host(bool pageable) {
  float* batch = pageable ? static_cast<float*>(std::malloc(kBytes)) : pinned_array<float>(kWords);
  for (std::size_t i = 0; i < kWords; ++i) batch[i] = static_cast<float>(i % 1024) / 1024;
  return batch;
}

Case make(bool pageable) {
  std::array<Lane, 2> lanes{};
  for (Lane& lane : lanes) {
    CHECK(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
    lane.host = batch_on_host(pageable);
    lane.device = device_array<float>(kWords);
    lane.total = device_array<float>(1);
  }
  return {
      [=, number = std::size_t{0}]() mutable {
        const Lane& lane = lanes[number++ % lanes.size()];
        CHECK(cudaMemcpyAsync(lane.device, lane.host, kBytes, cudaMemcpyHostToDevice, lane.stream));  // fault
        CHECK(cudaMemsetAsync(lane.total, 0, sizeof(float), lane.stream));
        add_up_batch<<<kBlocks, kThreads, 0, lane.stream>>>(
            lane.total, reinterpret_cast<const float4*>(lane.device), static_cast<int>(kWords / 4));
      },
      [=] { return device_sum(lanes[0].total, 1) + device_sum(lanes[1].total, 1); }, 60};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
