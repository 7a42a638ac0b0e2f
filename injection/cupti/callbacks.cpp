#include "injection/cupti/callbacks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "injection/cupti/call_ids.h"
#include "injection/cupti/guarded.h"
#include "injection/cupti/launch_calls.h"
#include "injection/cupti/transfer_calls.h"

namespace coalescope::cupti {
namespace {

using recorder::Ticket;

enum class Call {
  launch,
  graph_launch,
  stream_capture_begin,
  stream_capture_end,
  profiler_start,
  profiler_stop
};

struct Watched {
  CUpti_CallbackId id;
  Call call;
  bool per_thread_stream;
};
// Enumerators, not macros: asking for them with #if defined would silently compile a hook away.
constexpr std::array kWatched{
    Watched{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, Call::launch, false},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, Call::launch, true},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, Call::launch, false},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, Call::launch, true},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, Call::launch, false},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, Call::launch, true},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, Call::graph_launch, false},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz, Call::graph_launch, true},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture, Call::stream_capture_begin, false},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz, Call::stream_capture_begin, true},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, Call::stream_capture_begin, false},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz, Call::stream_capture_begin, true},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph, Call::stream_capture_begin, false},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz, Call::stream_capture_begin, true},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, Call::stream_capture_end, false},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz, Call::stream_capture_end, true},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, Call::profiler_start, false},
    Watched{CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, Call::profiler_stop, false},
};

// Of a call that has returned.
CUresult result_of(const CUpti_CallbackData& data) {
  return data.functionReturnValue == nullptr ? CUDA_SUCCESS
                                             : *static_cast<const CUresult*>(data.functionReturnValue);
}

bool failed(const CUpti_CallbackData& data) {
  return result_of(data) != CUDA_SUCCESS;
}

// A stream capture that cannot succeed ends, too. One that was never begun, or that belongs to another stream
// or thread, does not.
bool ended_stream_capture(const CUpti_CallbackData& data) {
  const CUresult code = result_of(data);
  return code == CUDA_SUCCESS || code == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
         code == CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

}  // namespace

Callbacks::Callbacks(const CuptiApi& api, const DriverApi& driver, recorder::Backend& backend,
                     recorder::Recording& recording, ModuleStore& modules, recorder::Diagnostics& diagnostics,
                     std::function<void()> managed_memory_begins)
    : api_(api),
      recording_(recording),
      modules_(modules),
      diagnostics_(diagnostics),
      memory_calls_(
          backend, recording, [this](CUcontext context) { return context_of(context); },
          std::move(managed_memory_begins)),
      event_calls_(recording),
      wait_calls_(backend, recording, [this](CUcontext context) { return context_of(context); }),
      code_calls_(backend, recording),
      graph_calls_(driver, recording, diagnostics) {}

base::Result<void> Callbacks::subscribe() {
  auto code = api_.cuptiSubscribe(&subscriber_, &dispatch, this);
  if (code != CUPTI_SUCCESS) return cupti_failure(api_, code, "cuptiSubscribe");
  // On from the first context to the last: without it SASS metrics count only the first function.
  code = api_.cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE);
  if (code != CUPTI_SUCCESS) return cupti_failure(api_, code, "cuptiEnableDomain");
  for (const auto& entry : kWatched) {
    code = api_.cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, entry.id);
    if (code != CUPTI_SUCCESS) return cupti_failure(api_, code, "cuptiEnableCallback");
    part_of_.at(entry.id) = Part::launches;
  }
  (void)watch(MemoryCalls::ids(), "memory", Part::memory);
  (void)watch(EventCalls::ids(), "events", Part::events);
  (void)watch(WaitCalls::ids(), "synchronization", Part::waits);
  (void)watch(CodeCalls::ids(), "code", Part::code);
  (void)watch(kCopyCalls, "transfers", Part::copies);
  (void)watch(kSetCalls, "transfers", Part::sets);
  if (graph_calls_.works() && !watch(GraphCalls::ids(), "graphs", Part::graphs)) graph_calls_.give_up();
  return {};
}

// An older CUPTI does not know calls that came after it, and programs of its time do not make them.
bool Callbacks::watch(std::span<const CUpti_CallbackId> ids, std::string_view origin, Part part) {
  bool all = true;
  for (const CUpti_CallbackId id : ids) {
    part_of_.at(id) = part;
    const auto code = api_.cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id);
    if (code == CUPTI_SUCCESS) continue;
    all = false;
    const bool unknown = code == CUPTI_ERROR_INVALID_PARAMETER;
    diagnostics_.add(unknown ? model::diagnostic_kind("", "calls_unknown")
                             : model::diagnostic_kind("", "calls_not_watched"),
                     cupti_error(api_, code, "cuptiEnableCallback"), origin);
  }
  return all;
}

void Callbacks::unsubscribe() {
  silence();
  if (subscriber_ == nullptr) return;
  const auto code = api_.cuptiUnsubscribe(std::exchange(subscriber_, nullptr));
  if (code != CUPTI_SUCCESS)
    diagnostics_.add(model::diagnostic_kind("callbacks", "not_unsubscribed"),
                     cupti_error(api_, code, "cuptiUnsubscribe"));
}

void CUPTIAPI Callbacks::dispatch(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                  const void* data) {
  auto& callbacks = *static_cast<Callbacks*>(self);
  if (callbacks.silent_.load(std::memory_order_acquire)) return;
  // Modules that our own calls load belong to nobody's source; contexts are never ours.
  if (Inside::already()) return;
  guarded("callback", [&] {
    const Inside inside;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
      callbacks.on_driver(id, *static_cast<const CUpti_CallbackData*>(data));
    if (domain == CUPTI_CB_DOMAIN_RESOURCE)
      callbacks.on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
  });
}

void Callbacks::on_driver(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  switch (id < part_of_.size() ? part_of_[id] : Part::nobody) {
    case Part::launches:
      return on_watched(id, data);
    case Part::events:
      return event_calls_.on_call(id, data);
    case Part::waits:
      return wait_calls_.on_call(id, data);
    case Part::copies:
      return on_transfer(id, data);
    case Part::sets:
      return on_set(id, data);
    case Part::code:
      return code_calls_.on_call(id, data);
    case Part::graphs:
      return graph_calls_.on_call(id, data);
    case Part::memory:
      if (MemoryCalls::makes_work(id))
        around_other_work(data, [&] { return recording_.before_other_work(); });
      return memory_calls_.on_call(id, data);
    case Part::nobody:
      break;
  }
}

// A call that does not return at once waits for the GPU, or for the driver to stage pageable memory.
void Callbacks::on_transfer(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_EXIT) {
    if (failed(data)) recording_.copies_need_records();  // it has none
    return wait_calls_.copy_ended(data);
  }
  auto copy = copy_call(id, data);
  const auto context = copy && data.context != nullptr ? context_of(data.context) : std::nullopt;
  if (context) copy->device = model::DeviceId{context->device + 1};
  recording_.copy_called(data.correlationId, context ? copy : std::nullopt);
  wait_calls_.began(data);
}

// No kernel records are switched on or off meanwhile: CUPTI crashes (docs/decisions/024). Calls do not nest.
void Callbacks::on_set(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  thread_local Ticket ticket = Ticket::none;
  if (data.callbackSite == CUPTI_API_EXIT) {
    recording_.after_launch(std::exchange(ticket, Ticket::none), !failed(data));
    return wait_calls_.copy_ended(data);
  }
  recording_.set_called(data.correlationId, data.functionParams == nullptr ? std::nullopt : set_by(id, data));
  wait_calls_.began(data);
  ticket = recording_.before_other_work();
}

void Callbacks::on_watched(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const Watched* watched = find_call(kWatched, id);
  if (watched == nullptr) return;
  const bool entering = data.callbackSite == CUPTI_API_ENTER;
  switch (watched->call) {
    case Call::launch:
      on_launch(id, data, watched->per_thread_stream);
      break;
    case Call::graph_launch:
      on_graph_launch(data, watched->per_thread_stream);
      break;
    case Call::stream_capture_begin:
      if (entering) recording_.stream_capture_begins();
      if (!entering && failed(data)) recording_.stream_capture_ended();
      break;
    case Call::stream_capture_end:
      if (!entering && ended_stream_capture(data)) recording_.stream_capture_ended();
      break;
    case Call::profiler_start:
      if (entering) recording_.profiler_started();
      break;
    case Call::profiler_stop:
      if (entering) recording_.profiler_stopped();
      break;
  }
}

template <class Before>
void Callbacks::around_other_work(const CUpti_CallbackData& data, Before&& before) {
  auto& slot = *data.correlationData;
  if (data.callbackSite == CUPTI_API_ENTER) {
    slot = static_cast<std::uint64_t>(before());
    return;
  }
  recording_.after_launch(static_cast<Ticket>(slot), !failed(data));
  slot = 0;
}

void Callbacks::on_graph_launch(const CUpti_CallbackData& data, bool per_thread_stream) {
  const auto context = data.callbackSite == CUPTI_API_ENTER && data.context != nullptr
                           ? context_of(data.context)
                           : std::nullopt;
  std::shared_ptr<const recorder::GraphCounts> counts;
  if (context) {
    // The driver reads its parameters after this callback (seen on an H200).
    auto& call = *static_cast<cuGraphLaunch_params*>(const_cast<void*>(data.functionParams));
    auto* const stream = call.hStream == nullptr && per_thread_stream ? CU_STREAM_PER_THREAD : call.hStream;
    counts = graph_calls_.before_launch(call.hGraph, stream, *context);
  }
  around_other_work(data, [&] { return recording_.before_graph_launch(data.correlationId, counts.get()); });
}

void Callbacks::on_launch(CUpti_CallbackId id, const CUpti_CallbackData& data, bool per_thread_stream) {
  // CUPTI keeps this word from the ENTER to the EXIT of one call.
  auto& slot = *data.correlationData;
  if (data.callbackSite == CUPTI_API_EXIT) {
    recording_.after_launch(static_cast<Ticket>(slot), !failed(data));
    slot = 0;
    return;
  }
  const auto context = data.context == nullptr ? std::nullopt : context_of(data.context);
  if (!context) {  // another thread may have a window open in it
    slot = static_cast<std::uint64_t>(recording_.before_other_work());
    return;
  }
  recorder::LaunchInfo launch = decode_launch(id, data);
  launch.per_thread_stream = per_thread_stream;
  launch.context = *context;
  slot = static_cast<std::uint64_t>(recording_.before_launch(launch));
}

std::optional<recorder::ContextHandle> Callbacks::context_of(CUcontext context) const {
  // A context may have the handle of one that has ended.
  thread_local recorder::ContextHandle last;
  thread_local std::uint64_t last_created = 0;
  const auto handle = reinterpret_cast<std::uint64_t>(context);
  const auto created = contexts_created_.load(std::memory_order_acquire);
  if (last.handle == handle && last_created == created) return last;
  recorder::ContextHandle found;
  found.handle = handle;
  std::uint32_t device = 0;
  const char* call = "cuptiGetContextId";
  auto code = api_.cuptiGetContextId(context, &found.uid);
  if (code == CUPTI_SUCCESS) {
    call = "cuptiGetDeviceId";
    code = api_.cuptiGetDeviceId(context, &device);
  }
  if (code != CUPTI_SUCCESS) {
    diagnostics_.add(model::diagnostic_kind("launches", "context_unknown"), cupti_error(api_, code, call));
    return std::nullopt;
  }
  found.device = static_cast<std::int32_t>(device);
  last = found;
  last_created = created;
  return found;
}

void Callbacks::on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  switch (id) {
    case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
      finish_before_vendor();
      contexts_created_.fetch_add(1, std::memory_order_acq_rel);
      if (const auto context = context_of(data.context)) recording_.device_seen(context->device);
      break;
    case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      if (const auto context = context_of(data.context)) {
        recording_.context_ending(*context);
        graph_calls_.context_ending(*context);
      }
      break;
    case CUPTI_CBID_RESOURCE_MODULE_LOADED: {
      const auto& module = *static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
      if (auto kept = modules_.add(module.pCubin, module.cubinSize); !kept)
        diagnostics_.add(model::diagnostic_kind("modules", "not_kept"), kept.error());
      break;
    }
    case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      code_calls_.module_unloading();
      graph_calls_.module_unloading();
      break;
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED: {
      const auto& graph = *static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
      if (graph.nodeType == CU_GRAPH_NODE_TYPE_KERNEL) graph_calls_.created(graph.node);
      break;
    }
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED: {
      const auto& graph = *static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
      std::uint64_t node = 0;
      if (graph.nodeType == CU_GRAPH_NODE_TYPE_KERNEL &&
          api_.cuptiGetGraphNodeId(graph.node, &node) == CUPTI_SUCCESS)
        graph_calls_.cloned(graph.originalNode, node);
      break;
    }
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED:
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING:
      on_graph(id, *static_cast<const CUpti_GraphData*>(data.resourceDescriptor));
      break;
    default:
      break;
  }
}

void Callbacks::on_graph(CUpti_CallbackId id, const CUpti_GraphData& graph) {
  if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED)
    graph_calls_.instantiated(graph.graph, graph.graphExec);
  else
    graph_calls_.destroyed(graph.graphExec);
}

}  // namespace coalescope::cupti
