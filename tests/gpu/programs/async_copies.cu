// Asynchronous copies to shared memory: 100 warps, 16 bytes a lane, so 512 distinct bytes and 16 sectors a
// request.
#include <cuda_pipeline.h>

#include "work.cuh"

__global__ void copy_async(const float4* in, float4* out) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[i] = tile[threadIdx.x];
}

int main() {
  Work work;
  for (int i = 0; i < 20; ++i) {
    copy_async<<<25, 128>>>(reinterpret_cast<const float4*>(work.in()), reinterpret_cast<float4*>(work.in()));
    work.launch(nullptr);
  }
  CHECK(cudaDeviceSynchronize());
  std::printf("%s\n", work.right() ? "right" : "wrong");
  return 0;
}
