#include "injection/cupti/graph_calls.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "injection/cupti/call_ids.h"
#include "injection/cupti/guarded.h"

namespace coalescope::cupti {
// Names of its own: other files of the folder have such tables, too.
namespace graph_calls {
namespace {

using base::Result;

// What the change of an executable graph is applied to.
struct Target {
  GraphReader& reader;
  GraphWork& work;
};

template <class Params>
const Params& params_of(const CUpti_CallbackData& data) {
  return *static_cast<const Params*>(data.functionParams);
}

Result<void> kernel(const CUpti_CallbackData& data, const Target& target) {
  const auto& call = params_of<cuGraphExecKernelNodeSetParams_v2_params>(data);
  return target.work.change(target.reader, call.hNode, *call.nodeParams);
}
Result<void> kernel_v1(const CUpti_CallbackData& data, const Target& target) {
  const auto& call = params_of<cuGraphExecKernelNodeSetParams_params>(data);
  const CUDA_KERNEL_NODE_PARAMS_v1& old = *call.nodeParams;
  const CUDA_KERNEL_NODE_PARAMS params{old.func,         old.gridDimX,  old.gridDimY,  old.gridDimZ,
                                       old.blockDimX,    old.blockDimY, old.blockDimZ, old.sharedMemBytes,
                                       old.kernelParams, old.extra,     nullptr,       nullptr};
  return target.work.change(target.reader, call.hNode, params);
}
Result<void> copy(const CUpti_CallbackData& data, const Target& target) {
  const auto& call = params_of<cuGraphExecMemcpyNodeSetParams_params>(data);
  return target.work.change(target.reader, call.hNode, *call.copyParams);
}
Result<void> set(const CUpti_CallbackData& data, const Target& target) {
  const auto& call = params_of<cuGraphExecMemsetNodeSetParams_params>(data);
  return target.work.change(call.hNode, *call.memsetParams);
}
Result<void> child(const CUpti_CallbackData& data, const Target& target) {
  const auto& call = params_of<cuGraphExecChildGraphNodeSetParams_params>(data);
  return target.work.change(target.reader, call.hNode, call.childGraph);
}
Result<void> unknown(const CUpti_CallbackData& data, const Target&) {
  return base::failure(base::ErrorCode::unsupported,
                       std::string("the program changed it with ") + data.functionName);
}

template <class Params>
CUgraph graph(const CUpti_CallbackData& data) {
  return params_of<Params>(data).hGraph;
}

bool makes_one_for_device(const CUpti_CallbackData& data) {
  const auto flags = params_of<cuGraphInstantiateWithFlags_params>(data).flags;
  return (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
}
template <class Params>
bool makes_one_for_device_by_params(const CUpti_CallbackData& data) {
  const auto* params = params_of<Params>(data).instantiateParams;
  return params != nullptr && (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
}

// A call changes one node, or all of them to what another graph does; or it makes an executable.
struct Call {
  CUpti_CallbackId id;
  Result<void> (*change)(const CUpti_CallbackData& data, const Target& target);
  CUgraph (*graph)(const CUpti_CallbackData& data) = nullptr;
  bool (*makes_one_for_device)(const CUpti_CallbackData& data) = nullptr;
};
// The executable is the first parameter of each that changes one.
constexpr std::array kCalls{
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams, &kernel_v1},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2, &kernel},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemcpyNodeSetParams, &copy},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams, &set},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams, &child},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate, nullptr, &graph<cuGraphExecUpdate_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, nullptr, &graph<cuGraphExecUpdate_v2_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams, &unknown},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled, &unknown},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, nullptr, nullptr, &makes_one_for_device},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams, nullptr, nullptr,
         &makes_one_for_device_by_params<cuGraphInstantiateWithParams_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz, nullptr, nullptr,
         &makes_one_for_device_by_params<cuGraphInstantiateWithParams_ptsz_params>},
};
constexpr auto kIds = ids_of(kCalls);
constexpr int kLaunchesBetweenCopies = 16;
constexpr std::size_t kMostCloned = 100'000;

std::vector<recorder::LaunchInfo> launches_of(const GraphWork& work, const recorder::ContextHandle& context) {
  std::vector<recorder::LaunchInfo> launches;
  for (const GraphKernel* kernel : work.kernels()) {
    recorder::LaunchInfo& launch = launches.emplace_back();
    const CUlaunchConfig& config = kernel->config;
    launch.kernel_name = kernel->name;
    launch.context = context;
    launch.function = reinterpret_cast<std::uint64_t>(kernel->function);
    launch.parameter_buffer = kernel->parameters;
    launch.shape.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
    launch.shape.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
    launch.shape.dynamic_shared_bytes = config.sharedMemBytes;
  }
  return launches;
}

// Launched by itself, a kernel of a library runs in the stream's context and on that GPU.
bool runs_elsewhere(const GraphWork& work, const recorder::ContextHandle& context) {
  const auto kernels = work.kernels();
  return std::any_of(kernels.begin(), kernels.end(), [&](const GraphKernel* kernel) {
    return kernel->context != nullptr && reinterpret_cast<std::uint64_t>(kernel->context) != context.handle;
  });
}

}  // namespace
}  // namespace graph_calls

GraphCalls::GraphCalls(const DriverApi& driver, recorder::Recording& recording,
                       recorder::Diagnostics& diagnostics)
    : driver_(driver),
      api_(GraphApi::load()),
      reader_(driver, api_),
      runner_(driver, api_, recording, diagnostics),
      works_(api_.complete && recording.takes_graphs_apart()),
      recording_(recording),
      diagnostics_(diagnostics) {}

std::span<const CUpti_CallbackId> GraphCalls::ids() {
  return graph_calls::kIds;
}

void GraphCalls::on_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const graph_calls::Call* call = find_call(graph_calls::kCalls, id);
  if (call == nullptr) return;
  if (call->makes_one_for_device != nullptr) {
    if (call->makes_one_for_device(data)) give_up();
    return;
  }
  if (!succeeded(data)) return;
  auto* const handle = *static_cast<const CUgraphExec*>(data.functionParams);
  const auto executable = find(handle);
  if (executable == nullptr) return;
  const recorder::Recording::Charge charge(recording_);
  // A copy that has missed a change must never run.
  auto work = std::exchange(executable->work, std::nullopt);
  executable->needs.groups.clear();
  if (call->graph != nullptr) {
    copy(*executable, handle, call->graph(data));
  } else if (work) {
    if (auto changed = call->change(data, {reader_, *work}); !changed)
      refuse(handle, changed.error());
    else
      executable->work = std::move(work);
  }
}

// The program has made a node, or a stream capture has.
void GraphCalls::created(CUgraphNode node) {
  const auto site = recording_.call_site();
  const std::lock_guard lock(mutex_);
  if (!site) {
    made_.erase(node);  // of a node before it
  } else if (made_.size() < graph_calls::kMostCloned || made_.contains(node)) {
    made_[node] = *site;
  }
}

// Nodes are also cloned when a graph is put into another one; no executable claims those.
void GraphCalls::cloned(CUgraphNode original, std::uint64_t id) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto made = made_.find(original); made != made_.end()) recording_.node_made(id, made->second);
  }
  if (!works_) return;
  const std::lock_guard lock(mutex_);
  if (cloned_.size() >= graph_calls::kMostCloned) cloned_.clear();
  cloned_[original] = id;
}

void GraphCalls::instantiated(CUgraph graph, CUgraphExec handle) {
  if (!works_) return;
  const recorder::Recording::Charge charge(recording_);
  auto executable = std::make_shared<Executable>();
  {
    const std::lock_guard lock(mutex_);
    executables_[handle] = executable;
  }
  copy(*executable, handle, graph);
  if (!executable->work) return;
  const std::lock_guard lock(mutex_);
  for (const GraphKernel* kernel : executable->work->kernels()) {
    const auto clone = cloned_.extract(kernel->node);
    executable->ids.push_back(clone.empty() ? 0 : clone.mapped());
  }
}

// Some programs change a graph before each launch. A copy takes as long as a launch, so a graph that lacked
// nothing is copied only now and then.
void GraphCalls::copy(Executable& executable, CUgraphExec handle, CUgraph graph) {
  executable.work.reset();
  const bool may_lack =
      executable.needs.lacks() || executable.launches >= graph_calls::kLaunchesBetweenCopies;
  if (!may_lack || !recording_.may_spend()) return;
  executable.launches = 0;
  auto work = GraphWork::copy(reader_, graph);
  if (!work) return refuse(handle, work.error());
  executable.work = std::move(*work);
}

std::shared_ptr<GraphCalls::Executable> GraphCalls::find(CUgraphExec handle) {
  const std::lock_guard lock(mutex_);
  const auto found = executables_.find(handle);
  return found == executables_.end() ? nullptr : found->second;
}

void GraphCalls::forget(CUgraphExec handle) {
  const std::lock_guard lock(mutex_);
  executables_.erase(handle);
}

void GraphCalls::refuse(CUgraphExec handle, const base::Error& why) {
  forget(handle);
  diagnostics_.add(model::diagnostic_kind("graphs", "left_whole"), {why.message});
}

// Kernels on the GPU may launch it. Such kernels must run in a graph themselves.
bool GraphCalls::is_for_device(CUgraphExec handle) const {
  cuuint64_t flags = 0;
  return api_.cuGraphExecGetFlags(handle, &flags) != CUDA_SUCCESS ||
         (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
}

// The driver lets each launch of an executable wait for the one before it, in any stream. The nodes that
// replace a launch are ordered by their stream alone.
bool GraphCalls::follows_itself(Executable& executable, CUstream stream,
                                const recorder::ContextHandle& context) const {
  const bool same = executable.stream.value_or(stream) == stream;
  executable.stream = stream;
  if (!same && executable.replaced) (void)driver_.synchronize(reinterpret_cast<CUcontext>(context.handle));
  executable.replaced = false;
  return same;
}

void GraphCalls::before_launch(CUgraphExec& handle, CUstream stream, const recorder::ContextHandle& context) {
  const auto executable = find(handle);
  if (executable == nullptr) return;
  ++executable->launches;
  if (!follows_itself(*executable, stream, context) || !executable->work || !works_) return;
  auto& needs = executable->needs;
  if (needs.groups.empty()) {
    if (is_for_device(handle)) {
      give_up();
      return refuse(handle, {base::ErrorCode::unsupported, "kernels on the GPU may launch graphs", {}});
    }
    if (graph_calls::runs_elsewhere(*executable->work, context))
      return refuse(handle, {base::ErrorCode::unsupported, "they run in several contexts", {}});
    recording_.find_groups(needs, graph_calls::launches_of(*executable->work, context), executable->ids);
  }
  const auto wish = recording_.wish_for(needs);
  if (wish == recorder::Wish::never) return forget(handle);
  if (wish == recorder::Wish::later) return;
  const recorder::Recording::Charge charge(recording_);
  auto* const empty = empty_graph(context);
  if (empty == nullptr || !replace(*executable, stream, context)) return forget(handle);
  handle = empty;
}

// False: nothing was launched.
bool GraphCalls::replace(Executable& executable, CUstream stream, const recorder::ContextHandle& context) {
  recording_.nodes_begin();
  executable.replaced = runner_.run(*executable.work, stream, context);
  // An exception here must not let the graph run a second time.
  guarded("graphs", [&] { recording_.nodes_end(executable.needs); });
  return executable.replaced;
}

CUgraphExec GraphCalls::empty_graph(const recorder::ContextHandle& context) {
  const std::lock_guard lock(mutex_);
  CUgraphExec& empty = empty_graphs_[context.uid];
  if (empty != nullptr) return empty;
  CUgraph graph = nullptr;
  const auto code = driver_.in_context(reinterpret_cast<CUcontext>(context.handle), [&] {
    CUresult made = api_.cuGraphCreate(&graph, 0);
    if (made == CUDA_SUCCESS) made = api_.cuGraphInstantiate(&empty, graph, 0);
    if (graph != nullptr) (void)api_.cuGraphDestroy(graph);
    return made;
  });
  if (code != CUDA_SUCCESS) empty = nullptr;
  return empty;
}

}  // namespace coalescope::cupti
