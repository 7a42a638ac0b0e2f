#include "injection/cupti/kernel_trace.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include "injection/cupti/guarded.h"

namespace coalescope::cupti {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::size_t kBufferAlignment = 8;
constexpr std::size_t kMostPooled = 8;
constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};

KernelTrace* the_trace = nullptr;

static_assert(static_cast<int>(CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) ==
              static_cast<int>(CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC));
constexpr std::uint32_t kAsyncFlag = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;

}  // namespace

KernelTrace::KernelTrace(const CuptiApi& api, std::int64_t zero_ns, Deliver deliver,
                         recorder::Diagnostics& diagnostics)
    : api_(api), zero_ns_(zero_ns), deliver_(std::move(deliver)), diagnostics_(diagnostics) {}

void KernelTrace::note(std::string_view code, CUptiResult result, const char* call) {
  diagnostics_.add("trace", code, cupti_error(api_, result, call));
}

base::Result<void> KernelTrace::start() {
  the_trace = this;
  std::uint8_t yes = 1;
  std::size_t size = sizeof yes;
  // Refused by older libraries; CUPTI then clears the buffers itself.
  (void)api_.cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &yes);
  if (const auto code = api_.cuptiActivityRegisterCallbacks(&requested, &completed); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api_, code, "cuptiActivityRegisterCallbacks"));
  for (const auto kind : kKinds) {
    if (const auto code = api_.cuptiActivityEnable(kind); code != CUPTI_SUCCESS)
      return tl::unexpected(cupti_error(api_, code, "cuptiActivityEnable"));
  }
  return {};
}

base::Result<void> KernelTrace::pause_kernels() {
  const auto code = api_.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (code != CUPTI_SUCCESS) return tl::unexpected(cupti_error(api_, code, "cuptiActivityDisable"));
  return {};
}

void KernelTrace::resume_kernels() {
  const auto code = api_.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (code != CUPTI_SUCCESS) note("not_resumed", code, "cuptiActivityEnable");
}

void KernelTrace::flush(bool everything) {
  std::unique_lock quiet(quiet_mutex_, std::defer_lock);
  if (everything) quiet.lock();
  if (!everything && !quiet.try_lock()) return;
  // A forced flush delivers running kernels without an end, and never again: only when nothing follows.
  const auto code = api_.cuptiActivityFlushAll(everything ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
  if (code != CUPTI_SUCCESS) note("not_flushed", code, "cuptiActivityFlushAll");
}

std::uint8_t* KernelTrace::take_buffer() {
  {
    const std::lock_guard lock(pool_mutex_);
    if (!pool_.empty()) {
      auto* buffer = pool_.back();
      pool_.pop_back();
      return buffer;
    }
  }
  auto* buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  if (buffer != nullptr) std::memset(buffer, 0, kBufferBytes);
  return buffer;
}

void KernelTrace::give_back(std::uint8_t* buffer, std::size_t used_bytes) {
  std::memset(buffer, 0, used_bytes);
  {
    const std::lock_guard lock(pool_mutex_);
    if (pool_.size() < kMostPooled) {
      pool_.push_back(buffer);
      return;
    }
  }
  std::free(buffer);
}

void CUPTIAPI KernelTrace::requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  guarded("buffer_requested", [&] {
    *buffer = the_trace->take_buffer();
    *size = *buffer == nullptr ? 0 : kBufferBytes;
    *max_records = 0;
  });
}

void CUPTIAPI KernelTrace::completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t size,
                                     std::size_t valid_bytes) {
  guarded("buffer_completed", [&] {
    if (valid_bytes > 0 && the_trace->deliver_({buffer, valid_bytes})) return;
    the_trace->give_back(buffer, size);
  });
}

model::Transfer KernelTrace::transfer(const auto& record) const {
  model::Transfer row;
  row.device_id = model::DeviceId{static_cast<std::int64_t>(record.deviceId) + 1};
  row.stream = record.streamId;
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.start_ns = static_cast<std::int64_t>(record.start) - zero_ns_;
  row.gpu_ns = static_cast<std::int64_t>(record.end - record.start);
  row.asynchronous = (record.flags & kAsyncFlag) != 0;
  if (record.graphId != 0) row.graph_id = record.graphId;
  return row;
}

recorder::KernelRun KernelTrace::kernel_run(const CUpti_ActivityKernel10& kernel) const {
  recorder::KernelRun run;
  run.kernel_name = kernel.name == nullptr ? "(unnamed)" : kernel.name;
  run.device = static_cast<std::int32_t>(kernel.deviceId);
  run.shape.grid = {kernel.gridX, kernel.gridY, kernel.gridZ};
  run.shape.block = {kernel.blockX, kernel.blockY, kernel.blockZ};
  run.shape.dynamic_shared_bytes = kernel.dynamicSharedMemory;
  run.stream = kernel.streamId;
  // A kernel that still ran when the process ended has no end.
  if (kernel.start != 0 && kernel.end >= kernel.start && times_trusted_.load(std::memory_order_relaxed)) {
    run.start_ns = static_cast<std::int64_t>(kernel.start) - zero_ns_;
    run.gpu_ns = static_cast<std::int64_t>(kernel.end - kernel.start);
  }
  run.registers_per_thread = kernel.registersPerThread;
  run.static_shared_bytes = kernel.staticSharedMemory;
  run.local_bytes_per_thread = kernel.localMemoryPerThread;
  if (kernel.graphId != 0) run.graph_id = kernel.graphId;
  return run;
}

void KernelTrace::decode(const recorder::ActivityBuffer& buffer, recorder::TraceSink& sink) {
  CUpti_Activity* record = nullptr;
  const auto next = [&] { return api_.cuptiActivityGetNextRecord(buffer.data, buffer.valid_bytes, &record); };
  CUptiResult code = next();
  for (; code == CUPTI_SUCCESS; code = next()) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        sink.kernel(kernel_run(*reinterpret_cast<const CUpti_ActivityKernel10*>(record)));
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
        model::Transfer row = transfer(copy);
        row.direction = static_cast<model::Direction>(copy.copyKind);
        row.source_memory = static_cast<model::MemoryKind>(copy.srcKind);
        row.destination_memory = static_cast<model::MemoryKind>(copy.dstKind);
        sink.transfer(row);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY2: {
        const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record);
        model::Transfer row = transfer(copy);
        row.direction = model::Direction::peer_to_peer;
        row.source_memory = static_cast<model::MemoryKind>(copy.srcKind);
        row.destination_memory = static_cast<model::MemoryKind>(copy.dstKind);
        sink.transfer(row);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMSET: {
        const auto& set = *reinterpret_cast<const CUpti_ActivityMemset4*>(record);
        model::Transfer row = transfer(set);
        row.direction = model::Direction::set;
        row.destination_memory = static_cast<model::MemoryKind>(set.memoryKind);
        sink.transfer(row);
        break;
      }
      default:
        break;
    }
  }
  if (code != CUPTI_ERROR_MAX_LIMIT_REACHED) note("not_decoded", code, "cuptiActivityGetNextRecord");
  std::size_t dropped = 0;
  code = api_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  if (code != CUPTI_SUCCESS) note("drops_unknown", code, "cuptiActivityGetNumDroppedRecords");
  if (dropped > 0) sink.dropped(static_cast<std::int64_t>(dropped));
  give_back(buffer.data, buffer.valid_bytes);
}

}  // namespace coalescope::cupti
