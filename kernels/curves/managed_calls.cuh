#pragma once
// The calls about managed memory, whose signatures changed with CUDA 13.

#include "kernels/patterns/cuda_check.cuh"

namespace coalescope::kernels {

#if CUDART_VERSION >= 13000
inline cudaMemLocation place(int device) {
  cudaMemLocation location{};
  location.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device < 0 ? 0 : device;
  return location;
}
inline void prefetch(const void* memory, std::size_t bytes, int device, cudaStream_t stream) {
  check_cuda(cudaMemPrefetchAsync(memory, bytes, place(device), 0, stream), "cudaMemPrefetchAsync");
}
inline void advise(const void* memory, std::size_t bytes, cudaMemoryAdvise advice, int device) {
  check_cuda(cudaMemAdvise(memory, bytes, advice, place(device)), "cudaMemAdvise");
}
#else
inline void prefetch(const void* memory, std::size_t bytes, int device, cudaStream_t stream) {
  check_cuda(cudaMemPrefetchAsync(memory, bytes, device, stream), "cudaMemPrefetchAsync");
}
inline void advise(const void* memory, std::size_t bytes, cudaMemoryAdvise advice, int device) {
  check_cuda(cudaMemAdvise(memory, bytes, advice, device), "cudaMemAdvise");
}
#endif

}  // namespace coalescope::kernels
