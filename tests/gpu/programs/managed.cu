// Managed memory, touched by host and device in turn: 64 MiB, for more would slow down other users of the
// card.
#include "work.cuh"

__global__ void strided_managed(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[8 * i] + 1.0F;
}

int main() {
  constexpr std::size_t kFloats = 16U << 20U;
  float* data = nullptr;
  float* out = nullptr;
  CHECK(cudaMallocManaged(&data, kFloats * sizeof(float)));
  CHECK(cudaMallocManaged(&out, kThreads * sizeof(float)));
  double sum = 0;
  for (int round = 0; round < 10; ++round) {
    // All that the kernel reads, and of the rest something in every page.
    for (std::size_t i = 0; i < kFloats; i += i < 8 * kThreads ? 1 : 1024)
      data[i] = static_cast<float>(round);
    for (int launch = 0; launch < 4; ++launch) strided_managed<<<kThreads / 128, 128>>>(data, out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kThreads; ++i) sum += out[i];
  }
  std::printf("sum %.0f\n", sum);
  return 0;
}
