// Uploads batches of 32 MB and adds them up, one batch while the next comes.
// Nothing is wrong: the host's memory is pinned, and two streams let copies and kernels run beside each
// other. The pattern is that of NVIDIA/cuvs, whose pull request 230 prefetches the next batch of an index.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWords = 8 << 20, kThreads = 256, kSteps = 1200;

// As many steps as take the GPU about as long as a copy.
__global__ void accumulate(float* totals, const float* batch) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float value = batch[i];
#pragma unroll 8
  for (int step = 0; step < kSteps; ++step) value += 0.001F * (1 - value * value);
  totals[i] = 0.5F * totals[i] + value;
}

struct Batch {
  float *host, *device, *totals;
  cudaStream_t stream;
};

Case make() {
  std::array<Batch, 2> batches{};
  for (Batch& each : batches) {
    each = {pinned_array<float>(kWords), device_array<float>(kWords), device_array<float>(kWords), nullptr};
    for (int i = 0; i < kWords; ++i) each.host[i] = static_cast<float>(i % 1024) / 1024;
    CHECK(cudaMemset(each.totals, 0, kWords * sizeof(float)));
    CHECK(cudaStreamCreateWithFlags(&each.stream, cudaStreamNonBlocking));
  }
  const auto number = std::make_shared<std::size_t>(0);
  return {
      [=] {
        const Batch& b = batches[(*number)++ % batches.size()];
        CHECK(cudaMemcpyAsync(b.device, b.host, kWords * sizeof(float), cudaMemcpyHostToDevice, b.stream));
        accumulate<<<kWords / kThreads, kThreads, 0, b.stream>>>(b.totals, b.device);
      },
      [=] { return device_sum(batches[0].totals, kWords); }, 500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
