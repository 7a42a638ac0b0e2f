// Uploads 64 MB, computes on them, and downloads the result, each round.
// At fault: one stream does all of it in turn, so that neither copies nor kernel ever run beside each other.
// The pattern is that of NVIDIA-developer-blog/code-samples, series/cuda-cpp/overlap-data-transfers/async.cu.
#include <array>

#include "../case.cuh"

namespace {

constexpr int kWords = 16 << 20, kThreads = 256, kChunks = 8, kSteps = 400;

// As many steps as take the GPU about as long as a copy.
__global__ void relax(float* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  float value = values[i];
#pragma unroll 8
  for (int step = 0; step < kSteps; ++step) value = value + 0.5F * (1 - value * value) * 0.01F;
  values[i] = value;
}

struct Buffers {
  float *host_in, *host_out, *device;
};

Buffers made_buffers() {
  const Buffers buffers{pinned_array<float>(kWords), pinned_array<float>(kWords),
                        device_array<float>(kWords)};
  for (int i = 0; i < kWords; ++i) buffers.host_in[i] = static_cast<float>(i % 1000) / 1000;
  return buffers;
}

double sum_on_host(const float* values) {
  double sum = 0;
  for (int i = 0; i < kWords; ++i) sum += static_cast<double>(values[i]);
  return sum;
}

Case in_turn() {
  const Buffers b = made_buffers();
  constexpr std::size_t kBytes = kWords * sizeof(float);
  return {[=] {
            CHECK(cudaMemcpy(b.device, b.host_in, kBytes, cudaMemcpyHostToDevice));  // fault
            relax<<<blocks_for(kWords, kThreads), kThreads>>>(b.device, kWords);
            CHECK(cudaMemcpy(b.host_out, b.device, kBytes, cudaMemcpyDeviceToHost));
          },
          [=] { return sum_on_host(b.host_out); }, 120};
}

Case in_streams() {
  const Buffers b = made_buffers();
  std::array<cudaStream_t, kChunks> streams{};
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  constexpr int kChunk = kWords / kChunks;
  constexpr std::size_t kBytes = kChunk * sizeof(float);
  return {[=] {
            for (int chunk = 0; chunk < kChunks; ++chunk) {
              const int first = chunk * kChunk;
              CHECK(cudaMemcpyAsync(b.device + first, b.host_in + first, kBytes, cudaMemcpyHostToDevice,
                                    streams[chunk]));
              relax<<<blocks_for(kChunk, kThreads), kThreads, 0, streams[chunk]>>>(b.device + first, kChunk);
              CHECK(cudaMemcpyAsync(b.host_out + first, b.device + first, kBytes, cudaMemcpyDeviceToHost,
                                    streams[chunk]));
            }
          },
          [=] { return sum_on_host(b.host_out); }, 120};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, in_turn, in_streams);
}
