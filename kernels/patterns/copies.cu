// D1: synchronous copies between device and pageable or pinned host memory, both ways, over the size.

#include "kernels/patterns/cuda_check.cuh"
#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {
namespace {

Pattern copy_pattern(const std::string& name, bool to_device, Place host, std::int64_t bytes) {
  const auto run = [to_device, host, bytes](const Arrays& arrays) {
    const ArrayPair& on_host = host == Place::pinned ? arrays.pinned : arrays.pageable;
    const auto size = static_cast<std::size_t>(bytes);
    check_cuda(to_device ? cudaMemcpy(arrays.device.output, on_host.input, size, cudaMemcpyHostToDevice)
                         : cudaMemcpy(on_host.output, arrays.device.input, size, cudaMemcpyDeviceToHost),
               "cudaMemcpy");
  };
  return {name + "/" + std::to_string(bytes), run, [](std::int64_t i) { return input_word(i); },
          to_device ? Place::device : host, bytes};
}

}  // namespace

std::vector<Pattern> copy_patterns() {
  std::vector<Pattern> patterns;
  for (const std::int64_t bytes : kCopyBytes) {
    patterns.push_back(copy_pattern("copy_host_to_device_pageable", true, Place::pageable, bytes));
    patterns.push_back(copy_pattern("copy_host_to_device_pinned", true, Place::pinned, bytes));
    patterns.push_back(copy_pattern("copy_device_to_host_pageable", false, Place::pageable, bytes));
    patterns.push_back(copy_pattern("copy_device_to_host_pinned", false, Place::pinned, bytes));
  }
  return patterns;
}

}  // namespace coalescope::kernels
