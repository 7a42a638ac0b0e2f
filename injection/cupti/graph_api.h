#pragma once
// The driver functions that tell what a graph consists of and launch the same work without it, taken from the
// libcuda that the target runs on.

#include <cuda.h>

// X(name), each by the name and in the version that <cuda.h> stands for.
#define COALESCOPE_GRAPH_FUNCTIONS(X) \
  X(cuGraphGetNodes)                  \
  X(cuGraphGetEdges)                  \
  X(cuGraphNodeGetType)               \
  X(cuGraphKernelNodeGetParams)       \
  X(cuGraphKernelNodeGetAttribute)    \
  X(cuGraphMemcpyNodeGetParams)       \
  X(cuGraphMemsetNodeGetParams)       \
  X(cuGraphChildGraphNodeGetGraph)    \
  X(cuGraphExecGetFlags)              \
  X(cuGraphCreate)                    \
  X(cuGraphAddKernelNode)             \
  X(cuGraphKernelNodeSetAttribute)    \
  X(cuGraphLaunch)                    \
  X(cuGraphExecDestroy)               \
  X(cuGraphDestroy)                   \
  X(cuGraphInstantiate)               \
  X(cuEventCreate)                    \
  X(cuEventRecord)                    \
  X(cuEventQuery)                     \
  X(cuEventDestroy)                   \
  X(cuStreamWaitEvent)                \
  X(cuStreamGetId)                    \
  X(cuFuncGetName)                    \
  X(cuKernelGetName)                  \
  X(cuLaunchKernelEx)                 \
  X(cuMemcpy3DAsync)                  \
  X(cuMemsetD2D8Async)                \
  X(cuMemsetD2D16Async)               \
  X(cuMemsetD2D32Async)

namespace coalescope::cupti {

struct GraphApi {
#define COALESCOPE_MEMBER(name) decltype(&::name) name = nullptr;
  COALESCOPE_GRAPH_FUNCTIONS(COALESCOPE_MEMBER)
#undef COALESCOPE_MEMBER
  bool complete = false;  // as in drivers for CUDA 12.3 and later

  [[nodiscard]] static GraphApi load();
};

}  // namespace coalescope::cupti
