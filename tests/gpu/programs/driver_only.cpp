// No runtime library at all: the driver's API, and code from the files that are its arguments. Each file is
// loaded, launched 20 times by cuLaunchKernel and 20 times by cuLaunchKernelEx, and unloaded.
#include "driver.h"

int main(int argc, char** argv) {
  DRIVER(cuInit(0));
  CUdevice device = 0;
  DRIVER(cuDeviceGet(&device, 0));
  CUcontext context = nullptr;
  DRIVER(cuCtxCreate(&context, nullptr, 0, device));
  CUstream stream = nullptr;
  DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 1; i < argc; ++i) {
    DriverWork work(argv[i]);
    for (int launch = 0; launch < 20; ++launch) {
      work.launch(stream);
      work.launch_ex(stream);
    }
    DRIVER(cuStreamSynchronize(stream));
    std::printf("file %d: %s\n", i, work.right() ? "right" : "WRONG");
    work.unload();
  }
  DRIVER(cuStreamDestroy(stream));
  DRIVER(cuCtxDestroy(context));
  return 0;
}
