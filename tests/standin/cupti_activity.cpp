// The stand-in's libcupti: activity records.
//
//   1. bufferRequested, in the thread whose record needs a place; each thread fills a buffer of its own
//   2. a full buffer goes back through bufferCompleted, in a thread of the library's own
//   3. cuptiActivityFlushAll: all buffers come back, with unfinished kernels, which have no end, and never
//   again
//   4. no buffer, or the script says so: the record is dropped and counted

#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "tests/standin/cupti_parts.h"

namespace standin::activity {
namespace {

// Records of CUDA 12 are shorter.
#ifdef STANDIN_CUDA_12
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
#else
using KernelRecord = CUpti_ActivityKernel10;
using CopyRecord = CUpti_ActivityMemcpy6;
#endif

struct Buffer {
  std::uint8_t* data = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
};

union Record {
  CUpti_Activity any;
  KernelRecord kernel;
  CopyRecord copy;
  CUpti_ActivityMemset4 set;
  CUpti_ActivityUnifiedMemoryCounter2 migration;
};

struct Unfinished {
  CUctx_st* context;
  Record record;
  bool waits = false;
  std::uint64_t gpu_ns = 0;  // without the wait
};

struct State {
  std::mutex mutex;
  std::condition_variable wake;
  CUpti_BuffersCallbackRequestFunc requested = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed = nullptr;
  CUpti_TimestampCallbackFunc clock = nullptr;
  std::set<CUpti_ActivityKind> on;
  std::map<std::thread::id, Buffer> filling;
  std::vector<Buffer> full;
  std::vector<Unfinished> unfinished;
  std::vector<Record> held;  // late, because the script says so
  std::size_t dropped = 0;
  bool worker_runs = false;
  bool worker_delivers = false;
};

State& records() {
  static State& the_state = *new State;
  return the_state;
}

std::atomic<int> flushes{0};
std::atomic<int> sets{0};  // that are being asked for
std::atomic<bool> times_on_host{false};

// The library's own clock, until the program sets another one: there is no way back.
std::uint64_t record_clock() {
  const std::lock_guard lock(records().mutex);
  return records().clock == nullptr ? clock_ns() : records().clock();
}

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(KernelRecord);
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
      return sizeof(CUpti_ActivityUnifiedMemoryCounter2);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    default:
      return sizeof(CopyRecord);
  }
}

// Gives full buffers back until the process ends.
void work() {
  auto& all = records();
  for (;;) {
    std::unique_lock lock(all.mutex);
    all.wake.wait(lock, [&] { return !all.full.empty(); });
    const auto buffer = all.full.back();
    all.full.pop_back();
    all.worker_delivers = true;
    lock.unlock();
    all.completed(nullptr, 0, buffer.data, buffer.size, buffer.used);
    lock.lock();
    all.worker_delivers = false;
    all.wake.notify_all();
  }
}

// Its own lock is never held while the recorder is called.
void store(const Record& record) {
  auto& all = records();
  const auto bytes = size_of(record.any.kind);
  std::unique_lock lock(all.mutex);
  if (device().hold_records) {
    all.held.push_back(record);
    return;
  }
  if (device().records_to_drop > 0) {
    --device().records_to_drop;
    ++all.dropped;
    return;
  }
  auto* buffer = &all.filling[std::this_thread::get_id()];
  if (buffer->data != nullptr && buffer->used + bytes > buffer->size) {
    all.full.push_back(*buffer);
    *buffer = {};
    if (!std::exchange(all.worker_runs, true)) std::thread(work).detach();
    all.wake.notify_all();
  }
  if (buffer->data == nullptr) {
    lock.unlock();
    Buffer fresh;
    std::size_t most_records = 0;
    all.requested(&fresh.data, &fresh.size, &most_records);
    lock.lock();
    buffer = &all.filling[std::this_thread::get_id()];
    *buffer = fresh;
  }
  if (buffer->data == nullptr || buffer->size < bytes) {
    ++all.dropped;
    return;
  }
  // The recorder promised zeroed buffers, so that nobody need clear them here.
  std::memcpy(buffer->data + buffer->used, &record, bytes);
  buffer->used += bytes;
}

bool is_on(CUpti_ActivityKind kind) {
  const std::lock_guard lock(records().mutex);
  return records().on.contains(kind) && records().requested != nullptr;
}

Record kernel_record(const Run& run) {
  Record record{};
  auto& kernel = record.kernel;
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = run.function->kernel->name.c_str();
  kernel.deviceId = static_cast<std::uint32_t>(run.context->device);
  kernel.contextId = run.context->uid;
  kernel.streamId = run.stream;
  kernel.gridX = static_cast<std::int32_t>(run.grid[0]);
  kernel.gridY = static_cast<std::int32_t>(run.grid[1]);
  kernel.gridZ = static_cast<std::int32_t>(run.grid[2]);
  kernel.blockX = static_cast<std::int32_t>(run.block[0]);
  kernel.blockY = static_cast<std::int32_t>(run.block[1]);
  kernel.blockZ = static_cast<std::int32_t>(run.block[2]);
  kernel.dynamicSharedMemory = static_cast<std::int32_t>(run.shared_bytes);
  kernel.staticSharedMemory = static_cast<std::int32_t>(run.function->kernel->static_shared_bytes);
  kernel.registersPerThread = static_cast<std::uint16_t>(run.function->kernel->registers);
  kernel.localMemoryPerThread = static_cast<std::uint32_t>(run.function->kernel->local_bytes);
  kernel.start = record_clock();
  // A patched kernel takes many times as long.
  const auto gpu_ns = run.function->kernel->gpu_ns * run.parameter * (sass::enabled(run.context) ? 40 : 1);
  kernel.end = run.unfinished ? 0 : kernel.start + static_cast<std::uint64_t>(gpu_ns);
  kernel.graphId = run.graph;
  kernel.graphNodeId = run.clone;
  kernel.correlationId = run.correlation;
  return record;
}

void give_back(const std::vector<Buffer>& buffers) {
  for (const auto& buffer : buffers) records().completed(nullptr, 0, buffer.data, buffer.size, buffer.used);
}

std::vector<Buffer> take_buffers() {
  auto& all = records();
  std::unique_lock lock(all.mutex);
  all.wake.wait(lock, [&] { return !all.worker_delivers; });
  auto buffers = std::exchange(all.full, {});
  for (const auto& [thread, buffer] : all.filling)
    if (buffer.data != nullptr) buffers.push_back(buffer);
  all.filling.clear();
  return buffers;
}

// Seen: none while copies have none.
void was_set(const Copy& copy) {
  if (!is_on(CUPTI_ACTIVITY_KIND_MEMSET) || !is_on(CUPTI_ACTIVITY_KIND_MEMCPY)) return;
  Record record{};
  record.set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  record.set.memoryKind = static_cast<std::uint16_t>(copy.destination);
  record.set.flags = copy.asynchronous ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC : 0;
  record.set.bytes = copy.bytes;
  record.set.start = record_clock();
  record.set.end = record.set.start + copy.bytes;
  record.set.deviceId = static_cast<std::uint32_t>(copy.context->device);
  record.set.contextId = copy.context->uid;
  record.set.streamId = copy.stream;
  record.set.correlationId = copy.correlation;
  store(record);
}

// Takes a while, as in truth.
void set_is_asked_for(const Copy& copy) {
  ++sets;
  was_set(copy);
  std::this_thread::sleep_for(std::chrono::microseconds(10));
  --sets;
}

}  // namespace

bool kernels_on() {
  return is_on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

bool flushing() {
  return flushes > 0;
}

bool delivery_meets_launches() {
  const std::lock_guard lock(records().mutex);
  return !times_on_host && !records().on.empty();
}

void kernel_ran(const Run& run) {
  if (!kernels_on()) return;
  const auto record = kernel_record(run);
  if (run.unfinished) {
    const std::lock_guard lock(records().mutex);
    records().unfinished.push_back(
        {run.context, record, run.waits, static_cast<std::uint64_t>(run.function->kernel->gpu_ns)});
    return;
  }
  store(record);
  // Seen beside hardware counters: one extra kernel for each launch.
  if (range::waits_after(run.context)) {
    auto wait = record;
    wait.kernel.name = "WaitNs";
    store(wait);
  }
}

void copied(const Copy& copy) {
  if (!copy.kind) return set_is_asked_for(copy);
  if (!is_on(CUPTI_ACTIVITY_KIND_MEMCPY)) return;
  Record record{};
  record.copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copy.copyKind = static_cast<std::uint8_t>(*copy.kind);
  record.copy.srcKind = static_cast<std::uint8_t>(copy.source);
  record.copy.dstKind = static_cast<std::uint8_t>(copy.destination);
  record.copy.flags = copy.asynchronous ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
  record.copy.bytes = copy.bytes;
  record.copy.start = record_clock();
  record.copy.end = record.copy.start + copy.bytes;
  record.copy.deviceId = static_cast<std::uint32_t>(copy.context->device);
  record.copy.contextId = copy.context->uid;
  record.copy.streamId = copy.stream;
  record.copy.correlationId = copy.correlation;
  store(record);
}

bool migrations_on() {
  return is_on(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

void migrated(const Migration& migration) {
  if (!migrations_on()) return;
  Record record{};
  record.migration.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
  record.migration.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
  record.migration.value = migration.bytes;
  record.migration.start = record_clock();
  record.migration.end = record.migration.start + migration.bytes;
  record.migration.address = migration.address;
  record.migration.srcId = CUPTI_SOURCE_LOCATOR_ID_UNKNOWN;
  record.migration.dstId = static_cast<std::uint32_t>(migration.device);
  store(record);
}

void end_unfinished(const std::function<bool(const Unfinished&)>& ends) {
  std::vector<Record> done;
  {
    const std::lock_guard lock(records().mutex);
    std::erase_if(records().unfinished, [&](Unfinished& each) {
      if (!ends(each)) return false;
      each.record.kernel.end = each.waits ? each.record.kernel.start + each.gpu_ns : clock_ns();
      done.push_back(each.record);
      return true;
    });
  }
  for (const auto& record : done) store(record);
}

void synchronized(CUctx_st* context) {
  end_unfinished([&](const Unfinished& each) { return each.context == context && !each.waits; });
}

void answered() {
  end_unfinished([](const Unfinished& each) { return each.waits; });
}

void deliver_late() {
  device().hold_records = false;
  std::vector<Record> held;
  {
    const std::lock_guard lock(records().mutex);
    held = std::exchange(records().held, {});
  }
  for (const auto& record : held) store(record);
  if (!held.empty()) give_back(take_buffers());
}

}  // namespace standin::activity

using namespace standin;
using standin::activity::records;

namespace {

// Seen on an H200.
void check_switch(CUpti_ActivityKind kind) {
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && activity::sets > 0)
    violation("records of kernels were switched while another thread asked for a memory set");
}

}  // namespace

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  STANDIN_CALL(cuptiActivityRegisterCallbacks);
  use_begins();
  const std::lock_guard lock(records().mutex);
  records().requested = requested;
  records().completed = completed;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  STANDIN_CALL(cuptiActivityRegisterTimestampCallback);
  const std::lock_guard lock(records().mutex);
  records().clock = clock;
  return clock == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, std::size_t*, void* value) {
  STANDIN_CALL(cuptiActivitySetAttribute);
  if (attribute == CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED)
    activity::times_on_host = *static_cast<std::uint8_t*>(value) != 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig*,
                                                       std::uint32_t) {
  STANDIN_CALL(cuptiActivityConfigureUnifiedMemoryCounter);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  STANDIN_CALL(cuptiActivityEnable);
  use_begins();
  check_switch(kind);
  const std::lock_guard lock(records().mutex);
  records().on.insert(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  STANDIN_CALL(cuptiActivityDisable);
  check_switch(kind);
  const std::lock_guard lock(records().mutex);
  records().on.erase(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flags) {
  STANDIN_CALL(cuptiActivityFlushAll);
  if (ended()) return CUPTI_ERROR_NOT_INITIALIZED;
  ++activity::flushes;
  // Seen on an H100: the two wait for each other for ever.
  if (range::starting()) violation("cuptiActivityFlushAll was called beside cuptiRangeProfilerStart");
  // Seen on an H200.
  if (flags == 0) violation("a program whose graphs change crashes after cuptiActivityFlushAll");
  std::vector<activity::Unfinished> cut_short;
  {
    const std::lock_guard lock(records().mutex);
    cut_short = std::exchange(records().unfinished, {});
  }
  for (const auto& each : cut_short) activity::store(each.record);
  if (!device().hold_records) activity::deliver_late();
  activity::give_back(activity::take_buffers());
  --activity::flushes;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  STANDIN_CALL(cuptiActivityGetNumDroppedRecords);
  const std::lock_guard lock(records().mutex);
  *dropped = std::exchange(records().dropped, 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid_bytes,
                                       CUpti_Activity** record) {
  STANDIN_CALL(cuptiActivityGetNextRecord);
  auto* next = *record == nullptr
                   ? buffer
                   : reinterpret_cast<std::uint8_t*>(*record) + activity::size_of((*record)->kind);
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
}
