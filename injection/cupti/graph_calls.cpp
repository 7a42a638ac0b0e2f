#include "injection/cupti/graph_calls.h"

#include <array>
#include <fmt/format.h>

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

// A call changes one node, or all of them to what another graph does.
struct Call {
  CUpti_CallbackId id;
  Result<void> (*change)(const CUpti_CallbackData& data, const Target& target);
  CUgraph (*graph)(const CUpti_CallbackData& data) = nullptr;
};
// The executable is the first parameter of each of them.
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
};
constexpr auto kIds = ids_of(kCalls);
constexpr int kLaunchesBetweenCopies = 16;

std::vector<recorder::LaunchInfo> launches_of(const GraphWork& work, const recorder::ContextHandle& context) {
  std::vector<recorder::LaunchInfo> launches;
  for (const GraphKernel* kernel : work.kernels()) {
    recorder::LaunchInfo& launch = launches.emplace_back();
    const CUlaunchConfig& config = kernel->config;
    launch.kernel_name = kernel->name;
    launch.context = context;
    launch.shape.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
    launch.shape.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
    launch.shape.dynamic_shared_bytes = config.sharedMemBytes;
  }
  return launches;
}

CUresult run(const GraphApi& api, const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream) {
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
}  // namespace graph_calls

GraphCalls::GraphCalls(const DriverApi& driver, recorder::Recording& recording,
                       recorder::Diagnostics& diagnostics)
    : driver_(driver),
      api_(GraphApi::load()),
      reader_(driver, api_),
      works_(api_.complete && recording.takes_graphs_apart()),
      recording_(recording),
      diagnostics_(diagnostics) {}

std::span<const CUpti_CallbackId> GraphCalls::ids() {
  return graph_calls::kIds;
}

bool GraphCalls::on_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const graph_calls::Call* call = find_call(graph_calls::kCalls, id);
  if (call == nullptr) return false;
  if (!succeeded(data)) return true;
  // The first parameter of each of these calls.
  auto* const handle = *static_cast<const CUgraphExec*>(data.functionParams);
  const auto executable = find(handle);
  if (executable == nullptr) return true;
  const recorder::Recording::Charge charge(recording_);
  executable->needs.groups.clear();
  if (call->graph != nullptr) {
    copy(*executable, handle, call->graph(data));
  } else if (executable->work) {
    if (auto changed = call->change(data, {reader_, *executable->work}); !changed)
      refuse(handle, changed.error());
  }
  return true;
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
}

// Some programs change a graph before each launch of it. To copy it takes as long as to launch it, so of
// those that lacked nothing a few are copied.
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
  diagnostics_.add(
      model::Severity::info, "graphs", "left_whole",
      "the kernels of a CUDA graph cannot be launched one by one to be measured: " + why.message);
}

// Kernels on the GPU may launch it as well, or change it.
bool GraphCalls::is_for_device(CUgraphExec handle) const {
  cuuint64_t flags = 0;
  return api_.cuGraphExecGetFlags(handle, &flags) != CUDA_SUCCESS ||
         (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
}

void GraphCalls::before_launch(CUgraphExec& handle, CUstream stream, const recorder::ContextHandle& context) {
  const auto executable = find(handle);
  if (executable == nullptr) return;
  ++executable->launches;
  if (!executable->work) return;
  auto& needs = executable->needs;
  if (needs.groups.empty()) {
    if (is_for_device(handle))
      return refuse(handle, {base::ErrorCode::unsupported, "kernels on the GPU may launch it", {}});
    recording_.find_groups(needs, graph_calls::launches_of(*executable->work, context));
  }
  const auto wish = recording_.wish_for(needs);
  if (wish == recorder::Wish::never) return forget(handle);
  if (wish == recorder::Wish::later) return;
  const recorder::Recording::Charge charge(recording_);
  auto* const empty = empty_graph(context);
  if (empty == nullptr) return forget(handle);
  recording_.nodes_begin();
  const bool begun = run(*executable->work, stream, context);
  recording_.nodes_end(needs);
  if (!begun) return forget(handle);
  handle = empty;
}

// False: the driver refused the first node, and nothing was launched.
bool GraphCalls::run(const GraphWork& work, CUstream stream, const recorder::ContextHandle& context) {
  CUresult code = CUDA_SUCCESS;
  bool begun = false;
  work.for_each([&](const auto& node) {
    if (code != CUDA_SUCCESS) return;
    const auto launch = [&] { return run(node, stream); };
    auto* const in = reinterpret_cast<CUcontext>(context.handle);
    code = driver_.in_context(in, launch);
    // If measuring was in the way, it is not any more.
    if (code != CUDA_SUCCESS) recording_.stop_measuring();
    if (code != CUDA_SUCCESS && begun) code = driver_.in_context(in, launch);
    begun = begun || code == CUDA_SUCCESS;
  });
  if (code != CUDA_SUCCESS)
    diagnostics_.add(
        begun ? model::Severity::error : model::Severity::data_loss, "graphs", "node_refused",
        fmt::format(
            "the driver refused to launch a node of a CUDA graph by itself (error {}), {}; "
            "record with --graph-profiling graph",
            static_cast<int>(code),
            begun ? "and the rest of this launch of the graph did not run" : "so measuring has ended"));
  return begun;
}

CUresult GraphCalls::run(const GraphKernel& kernel, CUstream stream) {
  std::vector<void*> parameters;
  for (const std::size_t offset : kernel.offsets)
    parameters.push_back(const_cast<std::byte*>(kernel.parameters.data()) + offset);
  auto attributes = kernel.attributes;
  CUlaunchConfig config = kernel.config;
  config.hStream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned int>(attributes.size());
  // From here on it is a launch like any other of the program's.
  const Outside outside;
  return api_.cuLaunchKernelEx(&config, kernel.function, parameters.data(), nullptr);
}

CUresult GraphCalls::run(const CUDA_MEMCPY3D& copy, CUstream stream) {
  const auto ticket = recording_.before_other_work();
  const CUresult code = api_.cuMemcpy3DAsync(&copy, stream);
  recording_.after_launch(ticket, code == CUDA_SUCCESS);
  return code;
}

CUresult GraphCalls::run(const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream) {
  const auto ticket = recording_.before_other_work();
  const CUresult code = graph_calls::run(api_, set, stream);
  recording_.after_launch(ticket, code == CUDA_SUCCESS);
  return code;
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
