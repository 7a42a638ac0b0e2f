#include "injection/cupti/graph_calls.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "injection/cupti/call_ids.h"
#include "injection/cupti/gpu_wait.h"
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

// A call changes one node, or all of them to what another graph does; or it makes or destroys an executable.
struct Call {
  CUpti_CallbackId id;
  Result<void> (*change)(const CUpti_CallbackData& data, const Target& target);
  CUgraph (*graph)(const CUpti_CallbackData& data) = nullptr;
  bool (*makes_one_for_device)(const CUpti_CallbackData& data) = nullptr;
};
// The executable is the first parameter of each that changes or destroys one.
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
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy, nullptr},
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
    launch.kernel_name = kernel->name.c_str();
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
  const bool destroys = id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy;
  if (destroys ? data.callbackSite != CUPTI_API_ENTER : !succeeded(data)) return;
  const auto executable = find(*static_cast<const CUgraphExec*>(data.functionParams));
  if (executable == nullptr) return;
  if (destroys) return destroying(*executable);
  if (executable->whole) return executable->needs.forget();
  const recorder::Recording::Charge charge(recording_);
  // A copy that has missed a change must never run.
  auto work = std::exchange(executable->work, std::nullopt);
  executable->needs.forget();
  if (call->graph != nullptr) {
    copy(*executable, call->graph(data));
  } else if (work) {
    if (auto changed = call->change(data, {reader_, *work}); !changed)
      refuse(*executable, changed.error());
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
  copy(*executable, graph);
  if (!executable->work) return;
  const std::lock_guard lock(mutex_);
  for (const GraphKernel* kernel : executable->work->kernels()) {
    const auto clone = cloned_.extract(kernel->node);
    executable->ids.push_back(clone.empty() ? 0 : clone.mapped());
  }
}

// Some programs change a graph before each launch. A copy takes as long as a launch, so a graph that lacked
// nothing is copied only now and then.
void GraphCalls::copy(Executable& executable, CUgraph graph) {
  executable.work.reset();
  const bool may_lack =
      executable.needs.lacks() || executable.launches >= graph_calls::kLaunchesBetweenCopies;
  if (!may_lack || !recording_.may_spend()) return;
  executable.launches = 0;
  auto work = GraphWork::copy(reader_, graph);
  if (!work) return refuse(executable, work.error());
  executable.work = std::move(*work);
}

std::shared_ptr<GraphCalls::Executable> GraphCalls::find(CUgraphExec handle) {
  const std::lock_guard lock(mutex_);
  const auto found = executables_.find(handle);
  return found == executables_.end() ? nullptr : found->second;
}

void GraphCalls::destroyed(CUgraphExec handle) {
  const std::lock_guard lock(mutex_);
  executables_.erase(handle);
}

// It stays known: nodes that have replaced its last launch may still run.
void GraphCalls::leave_whole(Executable& executable) {
  executable.whole = true;
  executable.work.reset();
}

void GraphCalls::refuse(Executable& executable, const base::Error& why) {
  leave_whole(executable);
  diagnostics_.add(model::diagnostic_kind("graphs", "left_whole"), {why.message});
}

// To the driver no launch of it is under way, so that what the graph holds for its kernels may go with it.
// The wait has a limit, because a kernel may wait for the program's next step.
void GraphCalls::destroying(Executable& executable) const {
  constexpr std::chrono::seconds kPatience(2);
  if (executable.replaced && !recording_.in_stream_capture())
    (void)wait_for_event([&] { return api_.cuEventQuery(executable.ran); }, kPatience);
  let_go(executable);
}

// The driver keeps both until the GPU is done with them.
void GraphCalls::let_go(Executable& executable) const {
  if (executable.empty != nullptr) (void)api_.cuGraphExecDestroy(std::exchange(executable.empty, nullptr));
  if (executable.ran != nullptr) (void)api_.cuEventDestroy(std::exchange(executable.ran, nullptr));
  executable.replaced = false;
}

// What was made in it ends with it.
void GraphCalls::context_ending(const recorder::ContextHandle& context) {
  const std::lock_guard lock(mutex_);
  for (auto& [handle, executable] : executables_) {
    if (executable->context != context.uid) continue;
    executable->empty = nullptr;
    executable->ran = nullptr;
    executable->replaced = false;
  }
}

// Kernels on the GPU may launch it. Such kernels must run in a graph themselves.
bool GraphCalls::is_for_device(CUgraphExec handle) const {
  cuuint64_t flags = 0;
  return api_.cuGraphExecGetFlags(handle, &flags) != CUDA_SUCCESS ||
         (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
}

std::optional<GraphCalls::Stream> GraphCalls::stream_of(CUstream stream) const {
  Stream found;
  if (stream == CU_STREAM_PER_THREAD) found.thread = std::this_thread::get_id();
  if (api_.cuStreamGetId(stream, &found.id) != CUDA_SUCCESS) return std::nullopt;
  return found;
}

// The driver lets each launch of an executable wait for the one before it, in any stream. The nodes that
// replace a launch are ordered by their stream alone: the next launch in another one waits for an event.
bool GraphCalls::follows_itself(Executable& executable, CUstream stream) const {
  const auto here = stream_of(stream);
  const bool same = !executable.launched || (here && executable.stream == here);
  executable.launched = true;
  executable.stream = here;
  if (executable.replaced && (same || api_.cuStreamWaitEvent(stream, executable.ran, 0) == CUDA_SUCCESS))
    executable.replaced = false;
  return same;
}

std::shared_ptr<const recorder::GraphCounts> GraphCalls::before_launch(
    CUgraphExec& handle, CUstream stream, const recorder::ContextHandle& context) {
  static const auto kNothing = std::make_shared<const recorder::GraphCounts>();
  const auto executable = find(handle);
  if (executable == nullptr) return nullptr;
  // It becomes a part of another graph.
  if (recording_.in_stream_capture() && driver_.is_in_stream_capture(stream)) return kNothing;
  if (take_apart(*executable, handle, stream, context)) {
    handle = executable->empty;
    return kNothing;
  }
  return works_ ? executable->needs.counts : nullptr;
}

// Whether the nodes were launched in place of the graph.
bool GraphCalls::take_apart(Executable& executable, CUgraphExec handle, CUstream stream,
                            const recorder::ContextHandle& context) {
  if (executable.whole && !executable.replaced) return false;
  ++executable.launches;
  const bool alone = follows_itself(executable, stream);
  if (!executable.work || !works_) return false;
  auto& needs = executable.needs;
  if (needs.groups.empty() && !find_kernels(executable, handle, context)) return false;
  if (!alone) return false;
  const auto wish = recording_.wish_for(needs);
  if (wish == recorder::Wish::never) leave_whole(executable);
  if (wish != recorder::Wish::now) return false;
  const recorder::Recording::Charge charge(recording_);
  if (prepare(executable, context) && replace(executable, stream, context)) return true;
  leave_whole(executable);
  return false;
}

// False: it is left whole from now on.
bool GraphCalls::find_kernels(Executable& executable, CUgraphExec handle,
                              const recorder::ContextHandle& context) {
  const auto refused = [&](const char* why) {
    refuse(executable, {base::ErrorCode::unsupported, why, {}});
    return false;
  };
  if (is_for_device(handle)) {
    give_up();
    return refused("kernels on the GPU may launch graphs");
  }
  if (graph_calls::runs_elsewhere(*executable.work, context)) return refused("they run in several contexts");
  // Seen with XLA: records call kernels of a graph inside of a graph by other ids (driver 580.159).
  recording_.find_groups(executable.needs, graph_calls::launches_of(*executable.work, context),
                         {executable.ids, !executable.work->holds_graphs()});
  return true;
}

// False: nothing was launched.
bool GraphCalls::replace(Executable& executable, CUstream stream, const recorder::ContextHandle& context) {
  auto* const in = reinterpret_cast<CUcontext>(context.handle);
  recording_.nodes_begin();
  executable.replaced = runner_.run(*executable.work, stream, context);
  const auto mark = [&] { return api_.cuEventRecord(executable.ran, stream); };
  if (executable.replaced && driver_.in_context(in, mark) != CUDA_SUCCESS) (void)driver_.synchronize(in);
  // An exception here must not let the graph run a second time.
  guarded("graphs", [&] { recording_.nodes_end(executable.needs); });
  return executable.replaced;
}

// Each executable has an empty graph of its own, because no two threads may use one at once. False: the
// driver refuses it, or it was made in another context.
bool GraphCalls::prepare(Executable& executable, const recorder::ContextHandle& context) const {
  if (executable.empty != nullptr) return executable.context == context.uid;
  executable.context = context.uid;
  CUgraph graph = nullptr;
  const auto code = driver_.in_context(reinterpret_cast<CUcontext>(context.handle), [&] {
    CUresult made = api_.cuEventCreate(&executable.ran, CU_EVENT_DISABLE_TIMING);
    if (made == CUDA_SUCCESS) made = api_.cuGraphCreate(&graph, 0);
    if (made == CUDA_SUCCESS) made = api_.cuGraphInstantiate(&executable.empty, graph, 0);
    if (graph != nullptr) (void)api_.cuGraphDestroy(graph);
    return made;
  });
  if (code == CUDA_SUCCESS) return true;
  executable.empty = nullptr;
  return false;
}

}  // namespace coalescope::cupti
