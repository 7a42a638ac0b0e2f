// Adds a constant vector, scaled, to another one, each round.
// At fault: the constant vector lies in mapped memory of the host, so that each round reads it over the bus
// again. The pattern is that of NVIDIA/cuda-samples, Samples/0_Introduction/simpleZeroCopy; vectorAdd beside
// it copies.
#include "../case.cuh"

namespace {

constexpr int kWords = 8 << 20, kThreads = 256;
constexpr std::size_t kBytes = kWords * sizeof(float);

__global__ void add_mapped(float* y, const float* x, float scale, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) y[i] = 0.5F * y[i] + scale * x[i];  // fault
}

__global__ void add_resident(float* y, const float* x, float scale, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) y[i] = 0.5F * y[i] + scale * x[i];
}

Case make(bool mapped) {
  float* host = nullptr;
  CHECK(cudaHostAlloc(&host, kBytes, cudaHostAllocMapped));
  for (int i = 0; i < kWords; ++i) host[i] = static_cast<float>(i % 2048) / 2048;
  float* x = nullptr;
  if (mapped) {
    CHECK(cudaHostGetDevicePointer(&x, host, 0));
  } else {
    x = device_array<float>(kWords);
    CHECK(cudaMemcpy(x, host, kBytes, cudaMemcpyHostToDevice));
  }
  auto* y = device_array<float>(kWords);
  CHECK(cudaMemset(y, 0, kBytes));
  return {[=] {
            auto* kernel = mapped ? add_mapped : add_resident;
            kernel<<<blocks_for(kWords, kThreads), kThreads>>>(y, x, 3.0F, kWords);
          },
          [=] { return device_sum(y, kWords); }, 600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
