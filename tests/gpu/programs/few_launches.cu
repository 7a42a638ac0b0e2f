// Launches each of its kernels once: one run cannot measure everything about any of them.
#include "work.cuh"

__global__ void contiguous(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1.0F;
}

int main() {
  Work work;
  work.launch(nullptr);
  CHECK(cudaDeviceSynchronize());
  std::puts(work.right() ? "right" : "WRONG");
  contiguous<<<kThreads / 128, 128>>>(work.in(), work.out());
  CHECK(cudaDeviceSynchronize());
  return 0;
}
