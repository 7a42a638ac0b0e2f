// Chunks go to the device, through a kernel and back, on four streams.
// Planted: the last buffer is pageable, so that its copies stage and wait (T01).
#include "steady.cuh"

namespace {

constexpr int kStreams = 4;
constexpr long kChunk = 4 << 20;

__global__ void relax(const float* in, float* out, long count) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  const float left = in[i == 0 ? 0 : i - 1], right = in[i == count - 1 ? i : i + 1];
  out[i] = 0.25F * left + 0.5F * in[i] + 0.25F * right;
}

struct Lane {
  cudaStream_t stream = nullptr;
  float *host = nullptr, *in = nullptr, *out = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const long rounds = count_from(argc, argv, 400);
  std::vector<Lane> lanes(kStreams);
  std::vector<float> pageable(kChunk, 1.5F);
  for (int i = 0; i < kStreams; ++i) {
    Lane& lane = lanes[i];
    CHECK(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&lane.in, kChunk * sizeof(float)));
    CHECK(cudaMalloc(&lane.out, kChunk * sizeof(float)));
    if (i < kStreams - 1) {
      CHECK(cudaMallocHost(&lane.host, kChunk * sizeof(float)));
    } else {
      lane.host = pageable.data();  // planted
    }
    for (long k = 0; k < kChunk; ++k) lane.host[k] = static_cast<float>((k + i) % 7);
  }
  steady(rounds, [&] {
    for (Lane& lane : lanes) {
      CHECK(cudaMemcpyAsync(lane.in, lane.host, kChunk * sizeof(float), cudaMemcpyHostToDevice, lane.stream));
      relax<<<blocks_for(kChunk, 256), 256, 0, lane.stream>>>(lane.in, lane.out, kChunk);
      CHECK(
          cudaMemcpyAsync(lane.host, lane.out, kChunk * sizeof(float), cudaMemcpyDeviceToHost, lane.stream));
    }
  });
  for (const Lane& lane : lanes) print_sum("sum", lane.out, kChunk);
  return 0;
}
