#include "injection/cupti/graph_runner.h"

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "injection/cupti/guarded.h"

namespace coalescope::cupti {
namespace {

// One for each parameter.
std::vector<void*> addresses_of(const GraphKernel& kernel) {
  std::vector<void*> addresses;
  for (const std::size_t offset : kernel.offsets)
    addresses.push_back(const_cast<std::byte*>(kernel.parameters.data()) + offset);
  return addresses;
}

CUresult set_memory(const GraphApi& api, const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream) {
  const std::size_t pitch = set.height == 1 ? set.width * set.elementSize : set.pitch;
  switch (set.elementSize) {
    case 1:
      return api.cuMemsetD2D8Async(set.dst, pitch, static_cast<unsigned char>(set.value), set.width,
                                   set.height, stream);
    case 2:
      return api.cuMemsetD2D16Async(set.dst, pitch, static_cast<unsigned short>(set.value), set.width,
                                    set.height, stream);
    default:
      return api.cuMemsetD2D32Async(set.dst, pitch, set.value, set.width, set.height, stream);
  }
}

}  // namespace

bool GraphRunner::run(const GraphWork& work, CUstream stream, const recorder::ContextHandle& context) {
  CUresult code = CUDA_SUCCESS;
  bool begun = false;
  work.for_each([&](const auto& node) {
    if (code != CUDA_SUCCESS) return;
    auto* const in = reinterpret_cast<CUcontext>(context.handle);
    code = run(node, stream, in);
    if (code == CUDA_SUCCESS) begun = true;
    if (code == CUDA_SUCCESS || !begun) return;
    // Measuring may be the reason, so it ends.
    recording_.stop_measuring();
    code = run(node, stream, in);
    if constexpr (std::is_same_v<decltype(node), const GraphKernel&>)
      if (code != CUDA_SUCCESS) code = driver_.in_context(in, [&] { return run_alone(node, stream); });
  });
  if (code == CUDA_SUCCESS) return true;
  guarded("graphs", [&] {
    const auto& kind = begun ? model::diagnostic_kind("graphs", "launch_cut_short")
                             : model::diagnostic_kind("graphs", "node_refused");
    diagnostics_.add(kind, {std::to_string(static_cast<int>(code))});
  });
  return begun;
}

template <class Node>
CUresult GraphRunner::run(const Node& node, CUstream stream, CUcontext context) {
  CUresult code = CUDA_ERROR_OUT_OF_MEMORY;  // if it throws
  guarded("graphs", [&] { code = driver_.in_context(context, [&] { return run(node, stream); }); });
  return code;
}

// In a graph of its own, where the driver takes what it took in the program's.
CUresult GraphRunner::run_alone(const GraphKernel& kernel, CUstream stream) {
  auto parameters = addresses_of(kernel);
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = kernel.of_library ? nullptr : kernel.function;
  params.kern = kernel.of_library ? reinterpret_cast<CUkernel>(kernel.function) : nullptr;
  params.gridDimX = kernel.config.gridDimX;
  params.gridDimY = kernel.config.gridDimY;
  params.gridDimZ = kernel.config.gridDimZ;
  params.blockDimX = kernel.config.blockDimX;
  params.blockDimY = kernel.config.blockDimY;
  params.blockDimZ = kernel.config.blockDimZ;
  params.sharedMemBytes = kernel.config.sharedMemBytes;
  params.kernelParams = parameters.data();
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec executable = nullptr;
  CUresult code = api_.cuGraphCreate(&graph, 0);
  if (code == CUDA_SUCCESS) code = api_.cuGraphAddKernelNode(&node, graph, nullptr, 0, &params);
  for (const CUlaunchAttribute& each : kernel.attributes)
    if (code == CUDA_SUCCESS) code = api_.cuGraphKernelNodeSetAttribute(node, each.id, &each.value);
  if (code == CUDA_SUCCESS) code = api_.cuGraphInstantiate(&executable, graph, 0);
  if (code == CUDA_SUCCESS) code = api_.cuGraphLaunch(executable, stream);
  if (executable != nullptr) (void)api_.cuGraphExecDestroy(executable);
  if (graph != nullptr) (void)api_.cuGraphDestroy(graph);
  return code;
}

CUresult GraphRunner::run(const GraphKernel& kernel, CUstream stream) {
  auto parameters = addresses_of(kernel);
  auto attributes = kernel.attributes;
  CUlaunchConfig config = kernel.config;
  config.hStream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned int>(attributes.size());
  // From here on it is a launch like any other of the program's.
  const Outside outside;
  return api_.cuLaunchKernelEx(&config, kernel.function, parameters.data(), nullptr);
}

CUresult GraphRunner::run(const CUDA_MEMCPY3D& copy, CUstream stream) {
  const auto ticket = recording_.before_other_work();
  const CUresult code = api_.cuMemcpy3DAsync(&copy, stream);
  recording_.after_launch(ticket, code == CUDA_SUCCESS);
  return code;
}

CUresult GraphRunner::run(const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream) {
  const auto ticket = recording_.before_other_work();
  const CUresult code = set_memory(api_, set, stream);
  recording_.after_launch(ticket, code == CUDA_SUCCESS);
  return code;
}

}  // namespace coalescope::cupti
