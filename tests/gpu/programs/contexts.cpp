// Two contexts of one device take turns; then one of them ends, and a third takes its place.
#include "driver.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  DRIVER(cuInit(0));
  CUdevice device = 0;
  DRIVER(cuDeviceGet(&device, 0));
  CUcontext contexts[2] = {};
  std::vector<DriverWork> works;
  for (CUcontext& context : contexts) {
    DRIVER(cuCtxCreate(&context, nullptr, 0, device));
    works.emplace_back(argv[1]);
  }
  for (int i = 0; i < 40; ++i) {
    for (int n = 0; n < 2; ++n) {
      DRIVER(cuCtxSetCurrent(contexts[n]));
      works[n].launch(nullptr);
    }
  }
  for (int n = 0; n < 2; ++n) {
    DRIVER(cuCtxSetCurrent(contexts[n]));
    DRIVER(cuCtxSynchronize());
    std::printf("context %d: %s\n", n, works[n].right() ? "right" : "WRONG");
  }
  DRIVER(cuCtxDestroy(contexts[0]));
  DRIVER(cuCtxCreate(&contexts[0], nullptr, 0, device));
  DriverWork last(argv[1]);
  for (int i = 0; i < 40; ++i) last.launch(nullptr);
  DRIVER(cuCtxSynchronize());
  std::printf("context 2: %s\n", last.right() ? "right" : "WRONG");
  return 0;
}
