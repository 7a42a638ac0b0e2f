// Five launches each: in the open, inside an NVTX range, between cudaProfilerStart and cudaProfilerStop, of
// another kernel, and after three seconds' sleep.
#include <chrono>
#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>
#include <thread>

#include "work.cuh"

__global__ void contiguous(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1.0F;
}

int main() {
  Work work;
  const auto five = [&] {
    for (int i = 0; i < 5; ++i) work.launch(nullptr);
    CHECK(cudaDeviceSynchronize());
  };
  five();
  nvtxRangePushA("chosen");
  five();
  nvtxRangePop();
  CHECK(cudaProfilerStart());
  five();
  CHECK(cudaProfilerStop());
  std::printf("%s\n", work.right() ? "right" : "wrong");
  for (int i = 0; i < 5; ++i) contiguous<<<kThreads / 128, 128>>>(work.in(), work.out());
  CHECK(cudaDeviceSynchronize());
  std::this_thread::sleep_for(std::chrono::seconds(3));
  five();
  return 0;
}
