// In place of PyTorch's library of that name: asks CUDA for a segment of its pool.

#include <cstddef>
#include <cuda.h>

extern "C" __attribute__((visibility("default"))) int c10_segment(CUdeviceptr* segment, std::size_t bytes) {
  const CUresult result = cuMemAlloc(segment, bytes);
  return static_cast<int>(result);  // so that this function stays on the stack
}
