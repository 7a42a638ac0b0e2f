// Weighs 12 million events a round and brings their 48 MB of weights to the host.
// At fault: kernel and copy take turns in one stream. The pattern is that of madgraph5/madgraph4gpu, where
// issue 11 hides the copy of the output in a second stream.
#include <array>

#include "../case.cuh"

namespace {

constexpr int kEvents = 12 << 20, kThreads = 256, kSteps = 300, kRounds = 300;
constexpr std::size_t kBytes = kEvents * sizeof(float);

// As many steps as take the GPU about as long as the copy.
__global__ void weigh(float* weights) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kEvents) return;
  float a = mixed_fraction(static_cast<unsigned>(i)), b = 1 - a;
#pragma unroll 10
  for (int step = 0; step < kSteps; ++step) {
    a = a + 0.01F * b * (1 - a);
    b = b - 0.01F * a * (b - 0.5F);
  }
  weights[i] = a + b;
}

struct Buffer {
  float *device, *host;
  cudaStream_t stream;
};

Buffer made_buffer() {
  Buffer b{device_array<float>(kEvents), pinned_array<float>(kEvents), nullptr};
  CHECK(cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking));
  return b;
}

void enqueue(const Buffer& b) {
  weigh<<<blocks_for(kEvents, kThreads), kThreads, 0, b.stream>>>(b.device);
  CHECK(cudaMemcpyAsync(b.host, b.device, kBytes, cudaMemcpyDeviceToHost, b.stream));  // fault
}

double sum_on_host(const float* values) {
  double sum = 0;
  for (int i = 0; i < kEvents; ++i) sum += static_cast<double>(values[i]);
  return sum;
}

Case in_turn() {
  const Buffer b = made_buffer();
  return {[=] {
            enqueue(b);  // fault
          },
          [=] { return sum_on_host(b.host); }, kRounds};
}

Case in_two_streams() {
  const std::array<Buffer, 2> buffers{made_buffer(), made_buffer()};
  unsigned round = 0;
  return {[=]() mutable { enqueue(buffers[round++ % 2]); }, [=] { return sum_on_host(buffers[0].host); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, in_turn, in_two_streams);
}
