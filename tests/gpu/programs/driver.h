#pragma once
// The kernel of work.cuh for programs that speak to the driver alone: they load it from a file of code.

#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <numeric>
#include <vector>

#define DRIVER(call)                                 \
  do {                                               \
    const CUresult code = (call);                    \
    if (code != CUDA_SUCCESS) {                      \
      const char* text = "?";                        \
      cuGetErrorString(code, &text);                 \
      std::fprintf(stderr, "%s: %s\n", #call, text); \
      std::exit(9);                                  \
    }                                                \
  } while (false)

// In the context that is current; one object a context.
class DriverWork {
 public:
  explicit DriverWork(const char* code_file) {
    DRIVER(cuModuleLoad(&module_, code_file));
    DRIVER(cuModuleGetFunction(&function_, module_, "strided_by_driver"));
    std::vector<float> host(8 * kThreads);
    std::iota(host.begin(), host.end(), 0.0F);
    DRIVER(cuMemAlloc(&in_, host.size() * sizeof(float)));
    DRIVER(cuMemAlloc(&out_, kThreads * sizeof(float)));
    DRIVER(cuMemcpyHtoD(in_, host.data(), host.size() * sizeof(float)));
  }
  void launch(CUstream stream) {
    void* arguments[] = {&in_, &out_};
    DRIVER(cuLaunchKernel(function_, kThreads / 128, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
  }
  void launch_ex(CUstream stream) {
    void* arguments[] = {&in_, &out_};
    CUlaunchConfig config{};
    config.gridDimX = kThreads / 128;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 128;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    DRIVER(cuLaunchKernelEx(&config, function_, arguments, nullptr));
  }
  bool right() {
    std::vector<float> host(kThreads);
    DRIVER(cuMemcpyDtoH(host.data(), out_, host.size() * sizeof(float)));
    for (int i = 0; i < kThreads; ++i)
      if (host[i] != 8.0F * static_cast<float>(i) + 1.0F) return false;
    return true;
  }
  void unload() {
    DRIVER(cuMemFree(in_));
    DRIVER(cuMemFree(out_));
    DRIVER(cuModuleUnload(module_));
  }

 private:
  static constexpr int kThreads = 3200;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr in_ = 0;
  CUdeviceptr out_ = 0;
};
