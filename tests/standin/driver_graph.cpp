// The stand-in's libcuda.so.1, third part: graphs. Their nodes are kernels, memory sets
// and graphs.

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/standin/driver_call.h"
#include "tests/standin/player_calls.h"

namespace standin {
namespace {

void add_runs(CUgraph_st& graph, std::uint32_t id, std::vector<Run>& runs) {
  for (auto& node : graph.nodes) {
    if (node.child != nullptr) add_runs(*node.child, id, runs);
    if (node.type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
    CUgraphNode_st clone = node;
    clone.run.node = next_id();
    CUpti_GraphData data{};
    data.originalNode = &node;
    data.node = &clone;
    data.nodeType = node.type;
    tell_resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, current_context(), &data);
    runs.push_back(node.run);
    runs.back().graph = id;
    runs.back().clone = clone.run.node;
  }
}

void set_parameter(Run& run, void* const* parameters) {
  if (run.function->kernel->has_parameter) run.parameter = *static_cast<std::int64_t*>(parameters[0]);
}

// A launch into a stream that is captured. False: it is not.
bool becomes_node(CUgraphExec executable, CUstream stream) {
  const std::lock_guard lock(device().mutex);
  if (stream == nullptr || stream->recording == nullptr) return false;
  auto* const child = new CUgraph_st;
  device().kept.push_back(child);
  for (const Run& run : executable->nodes) child->nodes.push_back({run});
  stream->recording->nodes.push_back({{}, CU_GRAPH_NODE_TYPE_GRAPH, child});
  return true;
}

void tell_executable(CUpti_CallbackId id, CUgraph graph, CUgraphExec executable) {
  CUpti_GraphData data{};
  data.graph = graph;
  data.graphExec = executable;
  tell_resource(id, current_context(), &data);
}

}  // namespace
}  // namespace standin

using namespace standin;

extern "C" {

void standin_add_node(CUgraph graph, int type, CUgraph child) {
  graph->nodes.push_back({{}, static_cast<CUgraphNodeType>(type), child});
}

CUresult cuGraphCreate(CUgraph* graph, unsigned int) {
  STANDIN_DRIVER_FAULT(cuGraphCreate);
  *graph = new CUgraph_st;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long flags) {
  STANDIN_DRIVER_FAULT(cuGraphInstantiateWithFlags);
  const cuGraphInstantiateWithFlags_params params{executable, graph, flags};
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags",
                     params, nullptr, [&] {
                       *executable = new CUgraphExec_st{next_id(), {}, {}};
                       keep(*executable);
                       add_runs(*graph, (*executable)->id, (*executable)->nodes);
                       tell_executable(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, graph, *executable);
                       return CUDA_SUCCESS;
                     });
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy, "cuGraphExecDestroy",
                     cuGraphExecDestroy_params{executable}, nullptr, [&] {
                       tell_executable(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, nullptr, executable);
                       executable->nodes.clear();
                       return CUDA_SUCCESS;
                     });
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode*, std::size_t,
                                 const CUDA_KERNEL_NODE_PARAMS* params) {
  STANDIN_DRIVER_FAULT(cuGraphAddKernelNode);
  Run run;
  run.function = params->func;
  run.context = current_context();
  run.grid[0] = params->gridDimX;
  run.grid[1] = params->gridDimY;
  run.grid[2] = params->gridDimZ;
  run.block[0] = params->blockDimX;
  run.block[1] = params->blockDimY;
  run.block[2] = params->blockDimZ;
  run.shared_bytes = params->sharedMemBytes;
  run.node = next_id();
  set_parameter(run, params->kernelParams);
  graph->nodes.push_back({run});
  *node = &graph->nodes.back();
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode, CUkernelNodeAttrID, const CUkernelNodeAttrValue*) {
  return CUDA_SUCCESS;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo* result) {
  const cuGraphExecUpdate_v2_params params{executable, graph, result};
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, "cuGraphExecUpdate_v2", params, nullptr,
                     [&] {
                       // Its nodes keep the ids that they had.
                       const auto before = std::exchange(executable->nodes, {});
                       add_runs(*graph, executable->id, executable->nodes);
                       for (std::size_t i = 0; i < std::min(before.size(), executable->nodes.size()); ++i)
                         executable->nodes[i].clone = before[i].clone;
                       return CUDA_SUCCESS;
                     });
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS* changed) {
  const cuGraphExecKernelNodeSetParams_v2_params params{executable, node, changed};
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
                     "cuGraphExecKernelNodeSetParams_v2", params, nullptr, [&] {
                       for (auto& run : executable->nodes)
                         if (run.node == node->run.node) {
                           run.grid[0] = changed->gridDimX;
                           set_parameter(run, changed->kernelParams);
                         }
                       return CUDA_SUCCESS;
                     });
}

CUresult cuGraphExecGetFlags(CUgraphExec, cuuint64_t* flags) {
  STANDIN_DRIVER_FAULT(cuGraphExecGetFlags);
  *flags = 0;
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  cuGraphLaunch_params params{executable, stream};
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch", params, nullptr, [&] {
    if (becomes_node(params.hGraph, stream)) return CUDA_SUCCESS;
    auto& by = params.hGraph->launched_by;
    if (by != std::thread::id() && by != std::this_thread::get_id())
      violation("two threads launched one executable graph");
    by = std::this_thread::get_id();
    auto nodes = params.hGraph->nodes;
    for (auto& node : nodes) {
      node.stream = stream_id(node.context, stream, false);
      node.correlation = correlation_id;
    }
    if (auto* listener = device().listener.load()) listener->graph_ran(nodes);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  STANDIN_DRIVER_FAULT(cuGraphGetNodes);
  *count = graph->nodes.size();
  if (nodes == nullptr) return CUDA_SUCCESS;
  // In no order that means anything.
  for (auto& node : graph->nodes) nodes[--*count] = &node;
  *count = graph->nodes.size();
  return CUDA_SUCCESS;
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData*,
                            std::size_t* count) {
  STANDIN_DRIVER_FAULT(cuGraphGetEdges);
  *count = graph->nodes.empty() ? 0 : graph->nodes.size() - 1;
  for (std::size_t i = 0; from != nullptr && i < *count; ++i) {
    from[i] = &graph->nodes[i];
    to[i] = &graph->nodes[i + 1];
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  STANDIN_DRIVER_FAULT(cuGraphNodeGetType);
  *type = node->type;
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  STANDIN_DRIVER_FAULT(cuGraphKernelNodeGetParams);
  *params = {};
  params->func = node->run.function;
  params->ctx = node->run.context;
  params->gridDimX = node->run.grid[0];
  params->gridDimY = node->run.grid[1];
  params->gridDimZ = node->run.grid[2];
  params->blockDimX = node->run.block[0];
  params->blockDimY = node->run.block[1];
  params->blockDimZ = node->run.block[2];
  params->sharedMemBytes = node->run.shared_bytes;
  node->parameters[0] = &node->run.parameter;
  if (node->run.function->kernel->has_parameter) params->kernelParams = node->parameters;
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode, CUkernelNodeAttrID, CUkernelNodeAttrValue* value) {
  *value = {};
  return CUDA_SUCCESS;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  *graph = node->child;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode, CUDA_MEMCPY3D*) {
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode, CUDA_MEMSET_NODE_PARAMS* params) {
  *params = {0, 0, 0, 4, 1, 1};
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  STANDIN_DRIVER_FAULT(cuFuncGetName);
  const std::lock_guard loading(device().loading);
  *name = function->kernel->name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char**, CUkernel) {
  return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D*, CUstream) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuMemsetD2D8Async(CUdeviceptr, std::size_t, unsigned char, std::size_t, std::size_t, CUstream) {
  return CUDA_SUCCESS;
}
CUresult cuMemsetD2D16Async(CUdeviceptr, std::size_t, unsigned short, std::size_t, std::size_t, CUstream) {
  return CUDA_SUCCESS;
}
CUresult cuMemsetD2D32Async(CUdeviceptr, std::size_t, unsigned int, std::size_t, std::size_t, CUstream) {
  return CUDA_SUCCESS;
}
}
