// The runtime for memory, the driver's API for launches: its entry points come from the runtime, so that the
// program does not even link with libcuda.
#include <cuda.h>

#include "work.cuh"

namespace {

template <class Function>
Function entry_point(const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  CHECK(cudaGetDriverEntryPointByVersion(name, &address, 13000, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) {
    std::fprintf(stderr, "%s is not there\n", name);
    std::exit(9);
  }
  return reinterpret_cast<Function>(address);
}

}  // namespace

int main() {
  Work work;
  const auto launch = entry_point<decltype(&cuLaunchKernel)>("cuLaunchKernel");
  const auto launch_ex = entry_point<decltype(&cuLaunchKernelEx)>("cuLaunchKernelEx");
  cudaFunction_t function = nullptr;
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(strided)));
  const float* in = work.in();
  float* out = work.out();
  void* arguments[] = {&in, &out};
  CUlaunchConfig config{};
  config.gridDimX = kThreads / 128;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128;
  config.blockDimY = config.blockDimZ = 1;
  for (int i = 0; i < 20; ++i) {
    work.launch(nullptr);
    if (launch(function, kThreads / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr) != CUDA_SUCCESS)
      return 9;
    if (launch_ex(&config, function, arguments, nullptr) != CUDA_SUCCESS) return 9;
  }
  CHECK(cudaDeviceSynchronize());
  std::puts(work.right() ? "right" : "WRONG");
  return 0;
}
