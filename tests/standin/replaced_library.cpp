// The library of replacing_program.cpp. Built a second time with REPLACEMENT it has another function where
// this one allocates.

#include <cuda.h>

namespace {

#ifdef REPLACEMENT
__attribute__((noinline)) CUresult of_the_replacement(CUdeviceptr* memory) {
#else
__attribute__((noinline)) CUresult of_the_original(CUdeviceptr* memory) {
#endif
  const CUresult result = cuMemAlloc(memory, 1 << 20);
  asm volatile("" ::: "memory");  // no tail call: the frame must be there
  return result;
}

}  // namespace

extern "C" CUresult allocate(CUdeviceptr* memory) {
#ifdef REPLACEMENT
  const CUresult result = of_the_replacement(memory);
#else
  const CUresult result = of_the_original(memory);
#endif
  asm volatile("" ::: "memory");
  return result;
}
