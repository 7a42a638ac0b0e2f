// What CUPTI's records become: rows for the writer thread.

#include <array>

#include "injection/cupti/kernel_trace.h"

namespace coalescope::cupti {
namespace {

model::UnifiedMemoryEvent event_of(CUpti_ActivityUnifiedMemoryCounterKind kind) {
  const auto event = static_cast<model::UnifiedMemoryEvent>(kind);
  return model::name_of(event) == "unknown" ? model::UnifiedMemoryEvent::unknown : event;
}

// To record one slows the program down by 7 us: 0.35 s in all (docs/decisions/010).
constexpr std::int64_t kMostUnifiedMemoryRecords = 50'000;

// Beyond it lie the numbers that stand for the host.
constexpr std::uint32_t kMostDevices = 64;
std::optional<model::DeviceId> device_id(std::uint32_t ordinal) {
  if (ordinal >= kMostDevices) return std::nullopt;
  return model::DeviceId{static_cast<std::int64_t>(ordinal) + 1};
}

// Which ends of an event are devices; CUPTI leaves the other fields undefined.
struct Ends {
  model::UnifiedMemoryEvent event;
  bool source;
  bool destination;
  bool lasts;
};
constexpr std::array kEnds{
    Ends{model::UnifiedMemoryEvent::bytes_to_device, false, true, true},
    Ends{model::UnifiedMemoryEvent::bytes_to_host, true, false, true},
    Ends{model::UnifiedMemoryEvent::gpu_page_faults, true, false, true},
    Ends{model::UnifiedMemoryEvent::throttling, true, false, true},
    Ends{model::UnifiedMemoryEvent::remote_map, true, true, false},
    Ends{model::UnifiedMemoryEvent::bytes_between_devices, true, true, true},
};

static_assert(static_cast<int>(CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) ==
              static_cast<int>(CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC));
constexpr std::uint32_t kAsyncFlag = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;

// The last fields that are read lie where the release of these headers has them.
static_assert(offsetof(KernelRecord, graphId) == offsetof(CUpti_ActivityKernel10, graphId) &&
              offsetof(KernelRecord, graphNodeId) == offsetof(CUpti_ActivityKernel10, graphNodeId) &&
              offsetof(KernelRecord, correlationId) == offsetof(CUpti_ActivityKernel10, correlationId));
static_assert(offsetof(CopyRecord, graphId) == offsetof(CUpti_ActivityMemcpy6, graphId) &&
              offsetof(CopyRecord, correlationId) == offsetof(CUpti_ActivityMemcpy6, correlationId));
static_assert(offsetof(UnifiedMemoryRecord, dstId) == offsetof(CUpti_ActivityUnifiedMemoryCounter3, dstId));

}  // namespace

model::Transfer KernelTrace::transfer(const auto& record) const {
  model::Transfer row;
  row.device_id = model::DeviceId{static_cast<std::int64_t>(record.deviceId) + 1};
  row.stream = record.streamId;
  row.bytes = static_cast<std::int64_t>(record.bytes);
  if (record.start != 0 && record.end >= record.start) {
    row.start_ns = static_cast<std::int64_t>(record.start) - zero_ns_;
    row.gpu_ns = static_cast<std::int64_t>(record.end - record.start);
  }
  row.asynchronous = (record.flags & kAsyncFlag) != 0;
  if (record.graphId != 0) row.graph_id = record.graphId;
  return row;
}

recorder::KernelRun KernelTrace::kernel_run(const KernelRecord& kernel, bool launches_counted) {
  recorder::KernelRun run;
  run.kernel_name = kernel.name == nullptr ? "(unnamed)" : kernel.name;
  run.device = static_cast<std::int32_t>(kernel.deviceId);
  run.shape.grid = {kernel.gridX, kernel.gridY, kernel.gridZ};
  run.shape.block = {kernel.blockX, kernel.blockY, kernel.blockZ};
  run.shape.dynamic_shared_bytes = kernel.dynamicSharedMemory;
  run.stream = kernel.streamId;
  // A kernel that still ran when the process ended has no end.
  const bool ended = kernel.start != 0 && kernel.end >= kernel.start;
  const bool is_of_graph = kernel.graphId != 0;
  if (ended && times_trusted_.load(std::memory_order_relaxed) &&
      !(is_of_graph && switches_.were_off(kernel.start, kernel.end))) {
    run.start_ns = static_cast<std::int64_t>(kernel.start) - zero_ns_;
    run.gpu_ns = static_cast<std::int64_t>(kernel.end - kernel.start);
  }
  run.registers_per_thread = kernel.registersPerThread;
  run.static_shared_bytes = kernel.staticSharedMemory;
  run.local_bytes_per_thread = kernel.localMemoryPerThread;
  if (is_of_graph) {
    run.graph_id = kernel.graphId;
    run.graph_node = kernel.graphNodeId;
  }
  run.correlation = kernel.correlationId;
  // The host launches a graph, not its kernels.
  run.counted = launches_counted && !is_of_graph;
  return run;
}

model::UnifiedMemory KernelTrace::unified_memory(const UnifiedMemoryRecord& record) const {
  model::UnifiedMemory row;
  row.event = event_of(record.counterKind);
  row.address = static_cast<std::int64_t>(record.address);
  // Of a fault on the host CUPTI tells the instruction instead of a count.
  const bool one = row.event == model::UnifiedMemoryEvent::cpu_page_fault;
  row.amount = one ? 1 : static_cast<std::int64_t>(record.value);
  row.start_ns = static_cast<std::int64_t>(record.start) - zero_ns_;
  for (const Ends& ends : kEnds) {
    if (ends.event != row.event) continue;
    if (ends.source) row.source_device_id = device_id(record.srcId);
    if (ends.destination) row.destination_device_id = device_id(record.dstId);
    if (ends.lasts && record.end >= record.start)
      row.duration_ns = static_cast<std::int64_t>(record.end - record.start);
  }
  return row;
}

void KernelTrace::take_unified_memory(const CUpti_Activity* record, recorder::TraceSink& sink) {
  if (unified_memory_records_ < kMostUnifiedMemoryRecords) {
    ++unified_memory_records_;
    sink.unified_memory(unified_memory(*reinterpret_cast<const UnifiedMemoryRecord*>(record)));
    return;
  }
  diagnostics_.add(model::diagnostic_kind("unified_memory", "records_dropped"));
  stop_unified_memory();
}

void KernelTrace::decode(const recorder::ActivityBuffer& buffer, recorder::TraceSink& sink) {
  CUpti_Activity* record = nullptr;
  const auto next = [&] { return api_.cuptiActivityGetNextRecord(buffer.data, buffer.valid_bytes, &record); };
  CUptiResult code = next();
  for (; code == CUPTI_SUCCESS; code = next()) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        sink.kernel(kernel_run(*reinterpret_cast<const KernelRecord*>(record), buffer.launches_counted));
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto& copy = *reinterpret_cast<const CopyRecord*>(record);
        model::Transfer row = transfer(copy);
        row.direction = static_cast<model::Direction>(copy.copyKind);
        row.source_memory = static_cast<model::MemoryKind>(copy.srcKind);
        row.destination_memory = static_cast<model::MemoryKind>(copy.dstKind);
        sink.transfer(row, copy.correlationId);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY2: {
        const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record);
        model::Transfer row = transfer(copy);
        row.direction = model::Direction::peer_to_peer;
        row.source_device_id = device_id(copy.srcDeviceId);
        row.destination_device_id = device_id(copy.dstDeviceId);
        row.source_memory = static_cast<model::MemoryKind>(copy.srcKind);
        row.destination_memory = static_cast<model::MemoryKind>(copy.dstKind);
        sink.transfer(row, copy.correlationId);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMSET: {
        const auto& set = *reinterpret_cast<const MemsetRecord*>(record);
        model::Transfer row = transfer(set);
        row.direction = model::Direction::set;
        row.destination_memory = static_cast<model::MemoryKind>(set.memoryKind);
        sink.transfer(row, set.correlationId);
        break;
      }
      case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
        take_unified_memory(record, sink);
        break;
      default:
        break;
    }
  }
  if (code != CUPTI_ERROR_MAX_LIMIT_REACHED)
    note(model::diagnostic_kind("trace", "not_decoded"), code, "cuptiActivityGetNextRecord");
  std::size_t dropped = 0;
  code = api_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  if (code != CUPTI_SUCCESS)
    note(model::diagnostic_kind("trace", "drops_unknown"), code, "cuptiActivityGetNumDroppedRecords");
  if (dropped > 0) sink.dropped(static_cast<std::int64_t>(dropped));
  give_back(buffer.data, buffer.valid_bytes);
}

}  // namespace coalescope::cupti
