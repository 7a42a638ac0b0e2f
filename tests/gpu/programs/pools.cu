// Memory in the order of a stream: the default pool and one of its own, taken and given back around every
// launch.
#include "work.cuh"

__global__ void strided_pooled(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[8 * i] + 1.0F;
}

int main() {
  Work work;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  cudaMemPool_t pool = nullptr;
  CHECK(cudaMemPoolCreate(&pool, &properties));
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  int right = 0;
  for (int i = 0; i < 100; ++i) {
    float* out = nullptr;
    if (i % 2 == 0)
      CHECK(cudaMallocAsync(&out, kThreads * sizeof(float), stream));
    else
      CHECK(cudaMallocFromPoolAsync(&out, kThreads * sizeof(float), pool, stream));
    strided_pooled<<<kThreads / 128, 128, 0, stream>>>(work.in(), out);
    float last = 0;
    CHECK(cudaMemcpyAsync(&last, out + kThreads - 1, sizeof last, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(out, stream));
    CHECK(cudaStreamSynchronize(stream));
    right += last == 8.0F * (kThreads - 1) + 1.0F ? 1 : 0;
  }
  CHECK(cudaMemPoolDestroy(pool));
  std::printf("%d of 100 right\n", right);
  return 0;
}
