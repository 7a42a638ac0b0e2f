// The ways to launch beside <<<>>>: in clusters, cooperatively, dependent on the kernel before, and from a
// kernel library that is loaded by hand.
#include <cooperative_groups.h>
#include <string>

#include "work.cuh"

namespace {

__global__ void strided_in_clusters(const float* in, float* out) {
#if __CUDA_ARCH__ >= 900
  cooperative_groups::this_cluster().sync();
#endif
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[8 * i] + 1.0F;
}

// Right only if all blocks run at the same time: each reads what the others wrote before the barrier.
__global__ void together(const float* in, float* out, int* seen) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) atomicAdd(seen, 1);
  cooperative_groups::this_grid().sync();
  out[i] = in[8 * i] + static_cast<float>(*seen == static_cast<int>(gridDim.x));
  cooperative_groups::this_grid().sync();
  if (i == 0) *seen = 0;
}

void in_clusters(Work& work) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = kThreads / 32;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, strided_in_clusters, static_cast<const float*>(work.in()), work.out()));
}

void cooperatively(Work& work, int* seen) {
  const float* in = work.in();
  float* out = work.out();
  void* arguments[] = {&in, &out, &seen};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(together), dim3(kThreads / 128), dim3(128),
                                    arguments, 0, nullptr));
}

void after_the_last(Work& work) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = kThreads / 128;
  config.blockDim = 128;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, strided, static_cast<const float*>(work.in()), work.out()));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  Work work;
  int* seen = nullptr;
  CHECK(cudaMalloc(&seen, sizeof(int)));
  CHECK(cudaMemset(seen, 0, sizeof(int)));
  for (int i = 0; i < 40; ++i) {
    if (how == "clusters") in_clusters(work);
    if (how == "cooperative") cooperatively(work, seen);
    if (how == "dependent") after_the_last(work);
  }
  CHECK(cudaDeviceSynchronize());
  std::puts(work.right() ? "right" : "WRONG");
  return 0;
}
