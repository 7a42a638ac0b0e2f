#pragma once
// A failed CUDA call ends the family whose case made it, with the name of both.

#include <stdexcept>
#include <string>

namespace coalescope::kernels {

// Thrown, not returned: no case can be finished after one, and what it had allocated must go.
struct CudaError : std::runtime_error {
  CudaError(const std::string& call, cudaError_t status)
      : std::runtime_error(call + " failed: " + cudaGetErrorString(status)) {}
};

inline void check_cuda(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw CudaError(call, status);
}

}  // namespace coalescope::kernels
