#include "injection/cupti/graph_reader.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <queue>

namespace coalescope::cupti {
namespace {

using base::ErrorCode;
using base::failure;
using base::Result;

Result<void> done(CUresult code, const char* call) {
  if (code == CUDA_SUCCESS) return {};
  return failure(ErrorCode::failed,
                 fmt::format("{} failed with CUDA error {}", call, static_cast<int>(code)));
}

// Attributes of a node that a launch takes, too. All others are hints, or change when a kernel runs and not
// what it does.
struct Carried {
  CUlaunchAttributeID id;
  bool (*is_set)(const CUlaunchAttributeValue& value);
};
constexpr CUlaunchAttributeID kCooperative = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
const Carried kCarried[] = {
    {CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
     [](const CUlaunchAttributeValue& value) { return value.accessPolicyWindow.num_bytes != 0; }},
    {kCooperative, [](const CUlaunchAttributeValue& value) { return value.cooperative != 0; }},
    {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
     [](const CUlaunchAttributeValue& value) { return value.clusterDim.x != 0; }},
    {CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
     [](const CUlaunchAttributeValue& value) {
       return value.clusterSchedulingPolicyPreference != CU_CLUSTER_SCHEDULING_POLICY_DEFAULT;
     }},
};

std::vector<CUlaunchAttribute> attributes_of(const GraphApi& api, CUgraphNode node) {
  std::vector<CUlaunchAttribute> attributes;
  for (const Carried& carried : kCarried) {
    CUlaunchAttribute attribute{};
    attribute.id = carried.id;
    if (api.cuGraphKernelNodeGetAttribute(node, carried.id, &attribute.value) == CUDA_SUCCESS &&
        carried.is_set(attribute.value))
      attributes.push_back(attribute);
  }
  return attributes;
}

bool is_updatable_on_device(const GraphApi& api, CUgraphNode node) {
  CUlaunchAttributeValue value{};
  return api.cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value) ==
             CUDA_SUCCESS &&
         value.deviceUpdatableKernelNode.deviceUpdatable != 0;
}

// `extra` is a list of names, each followed by its value.
const std::byte* buffer_of(void** extra) {
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) return static_cast<const std::byte*>(extra[1]);
  return nullptr;
}

// In an order that the edges allow; of those that are ready the first in the driver's list.
std::vector<CUgraphNode> in_order(const std::vector<CUgraphNode>& nodes, const std::vector<CUgraphNode>& from,
                                  const std::vector<CUgraphNode>& to) {
  std::unordered_map<CUgraphNode, std::size_t> place;
  for (std::size_t i = 0; i < nodes.size(); ++i) place[nodes[i]] = i;
  std::vector<std::vector<std::size_t>> dependents(nodes.size());
  std::vector<std::size_t> waits_for(nodes.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    dependents[place.at(from[i])].push_back(place.at(to[i]));
    ++waits_for[place.at(to[i])];
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (waits_for[i] == 0) ready.push(i);
  std::vector<CUgraphNode> ordered;
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    ordered.push_back(nodes[next]);
    for (const std::size_t dependent : dependents[next])
      if (--waits_for[dependent] == 0) ready.push(dependent);
  }
  return ordered;
}

}  // namespace

Result<std::vector<CUgraphNode>> GraphReader::nodes(CUgraph graph) const {
  std::size_t count = 0;
  if (auto read = done(api_.cuGraphGetNodes(graph, nullptr, &count), "cuGraphGetNodes"); !read)
    return base::relay(read);
  std::size_t edges = 0;
  const auto code = api_.cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  if (auto read = done(code, "cuGraphGetEdges"); !read) return base::relay(read);
  std::vector<CUgraphNode> nodes(count);
  std::vector<CUgraphNode> from(edges);
  std::vector<CUgraphNode> to(edges);
  std::vector<CUgraphEdgeData> data(edges);
  auto read = count == 0 ? Result<void>()
                         : done(api_.cuGraphGetNodes(graph, nodes.data(), &count), "cuGraphGetNodes");
  if (read && edges > 0)
    read = done(api_.cuGraphGetEdges(graph, from.data(), to.data(), data.data(), &edges), "cuGraphGetEdges");
  if (!read) return base::relay(read);
  return in_order(nodes, from, to);
}

Result<CUgraphNodeType> GraphReader::type(CUgraphNode node) const {
  CUgraphNodeType type{};
  return done(api_.cuGraphNodeGetType(node, &type), "cuGraphNodeGetType").map([&] { return type; });
}

void GraphReader::functions_changed() {
  const std::lock_guard lock(mutex_);
  functions_.clear();
  ++changes_;
}

// The driver is not asked under the mutex: another thread, with a lock of the driver's, may wait for it in a
// callback.
Result<GraphReader::Function> GraphReader::function(CUfunction handle) {
  std::unique_lock lock(mutex_);
  if (const auto known = functions_.find(handle); known != functions_.end()) return known->second;
  const auto changes = changes_;
  lock.unlock();
  const char* name = nullptr;
  CUresult code = api_.cuFuncGetName(&name, handle);
  if (code != CUDA_SUCCESS) code = api_.cuKernelGetName(&name, reinterpret_cast<CUkernel>(handle));
  if (auto read = done(code, "cuFuncGetName"); !read) return base::relay(read);
  Function function;
  function.name = name == nullptr ? "" : name;
  auto parameters = driver_.parameters(handle);
  if (!parameters)
    return failure(ErrorCode::unsupported, "the driver does not tell the parameters of " + function.name);
  function.parameters = std::move(*parameters);
  lock.lock();
  if (changes == changes_) functions_.emplace(handle, function);
  return function;
}

Result<GraphKernel> GraphReader::kernel(const CUDA_KERNEL_NODE_PARAMS& params) {
  GraphKernel kernel;
  kernel.function = params.func != nullptr ? params.func : reinterpret_cast<CUfunction>(params.kern);
  kernel.of_library = params.func == nullptr;
  kernel.context = params.ctx;
  kernel.config.gridDimX = params.gridDimX;
  kernel.config.gridDimY = params.gridDimY;
  kernel.config.gridDimZ = params.gridDimZ;
  kernel.config.blockDimX = params.blockDimX;
  kernel.config.blockDimY = params.blockDimY;
  kernel.config.blockDimZ = params.blockDimZ;
  kernel.config.sharedMemBytes = params.sharedMemBytes;
  const auto function = this->function(kernel.function);
  if (!function) return base::relay(function);
  kernel.name = function->name;
  const std::byte* const buffer = params.kernelParams == nullptr ? buffer_of(params.extra) : nullptr;
  if (!function->parameters.empty() && params.kernelParams == nullptr && buffer == nullptr)
    return failure(ErrorCode::unsupported, "the parameters of " + kernel.name + " cannot be read");
  for (const recorder::ParameterPlace& parameter : function->parameters) {
    const void* value = params.kernelParams != nullptr ? params.kernelParams[kernel.offsets.size()]
                                                       : buffer + parameter.offset;
    kernel.offsets.push_back(parameter.offset);
    kernel.parameters.resize(std::max(kernel.parameters.size(), parameter.offset + parameter.bytes));
    std::memcpy(kernel.parameters.data() + parameter.offset, value, parameter.bytes);
  }
  return kernel;
}

Result<GraphKernel> GraphReader::kernel(CUgraphNode node) {
  if (is_updatable_on_device(api_, node))
    return failure(ErrorCode::unsupported, "kernels on the GPU may change one of its nodes");
  CUDA_KERNEL_NODE_PARAMS params{};
  const auto code = api_.cuGraphKernelNodeGetParams(node, &params);
  if (auto read = done(code, "cuGraphKernelNodeGetParams"); !read) return base::relay(read);
  auto kernel = this->kernel(params);
  if (kernel) kernel->node = node;
  if (kernel) kernel->attributes = attributes_of(api_, node);
  return kernel;
}

// Memory that CUDA does not know is read when the graph runs, but by a call when it is called.
Result<CUDA_MEMCPY3D> GraphReader::copy(const CUDA_MEMCPY3D& params) const {
  const auto known = [&](CUmemorytype type, const void* host, CUdeviceptr device) {
    if (type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_ARRAY) return true;
    const auto address = type == CU_MEMORYTYPE_HOST ? reinterpret_cast<CUdeviceptr>(host) : device;
    return driver_.knows_address(address);
  };
  if (known(params.srcMemoryType, params.srcHost, params.srcDevice) &&
      known(params.dstMemoryType, params.dstHost, params.dstDevice))
    return params;
  return failure(ErrorCode::unsupported, "it copies pageable memory of the host");
}

Result<CUDA_MEMCPY3D> GraphReader::copy(CUgraphNode node) const {
  CUDA_MEMCPY3D params{};
  const auto code = api_.cuGraphMemcpyNodeGetParams(node, &params);
  return done(code, "cuGraphMemcpyNodeGetParams").and_then([&] { return copy(params); });
}

Result<CUDA_MEMSET_NODE_PARAMS> GraphReader::set(CUgraphNode node) const {
  CUDA_MEMSET_NODE_PARAMS params{};
  const auto code = api_.cuGraphMemsetNodeGetParams(node, &params);
  return done(code, "cuGraphMemsetNodeGetParams").map([&] { return params; });
}

Result<CUgraph> GraphReader::child(CUgraphNode node) const {
  CUgraph child = nullptr;
  const auto code = api_.cuGraphChildGraphNodeGetGraph(node, &child);
  return done(code, "cuGraphChildGraphNodeGetGraph").map([&] { return child; });
}

}  // namespace coalescope::cupti
