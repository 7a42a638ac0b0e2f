#include "injection/cupti/kernel_trace.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <span>

#include "core/base/lock_until.h"
#include "injection/cupti/guarded.h"
#include "injection/cupti/own_heap.h"

namespace coalescope::cupti {
namespace {

constexpr std::size_t kBufferAlignment = 8;
constexpr std::size_t kMostPooled = 64;
// For whoever waits for the GPU meanwhile: a kernel may have no end.
constexpr std::chrono::seconds kQuietPatience{2};
constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};

constexpr std::array kUnifiedMemoryKinds{CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
                                         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
                                         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
                                         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
                                         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING,
                                         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THROTTLING,
                                         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_REMOTE_MAP,
                                         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD};

KernelTrace* the_trace = nullptr;

}  // namespace

KernelTrace::KernelTrace(const CuptiApi& api, std::int64_t zero_ns, Deliver deliver,
                         recorder::Diagnostics& diagnostics)
    : api_(api), zero_ns_(zero_ns), deliver_(std::move(deliver)), diagnostics_(diagnostics) {}

void KernelTrace::note(const model::DiagnosticKind& kind, CUptiResult result, const char* call) {
  diagnostics_.add(kind, cupti_error(api_, result, call));
}

base::Result<void> KernelTrace::register_buffers() {
  std::uint8_t yes = 1;
  std::size_t size = sizeof yes;
  // Refused by older libraries; CUPTI then clears the buffers itself.
  (void)api_.cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &yes);
  if (const auto code = api_.cuptiActivityRegisterCallbacks(&requested, &completed); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiActivityRegisterCallbacks");
  return {};
}

base::Result<void> KernelTrace::enable(CUpti_ActivityKind kind) {
  if (const auto code = api_.cuptiActivityEnable(kind); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiActivityEnable");
  return {};
}

// Switches on the records that are wanted, and ends with the first that CUPTI refuses.
base::Result<void> KernelTrace::enable_wanted() {
  for (const auto kind : kKinds) {
    if (!is_wanted(kind)) continue;
    if (auto done = enable(kind); !done) return done;
    on_.insert(kind);
  }
  return {};
}

// By default the GPU leaves its times in its own memory. CUPTI's worker, which reads them, then waits for
// the driver, which waits for CUPTI in a launch (seen on an H200 beside windows, docs/decisions/023).
void KernelTrace::keep_times_on_the_host() {
  std::uint8_t yes = 1;
  std::size_t size = sizeof yes;
  const auto code =
      api_.cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, &size, &yes);
  if (code != CUPTI_SUCCESS) may_measure_ = cupti_failure(api_, code, "cuptiActivitySetAttribute");
}

void KernelTrace::stays_patched() {
  times_trusted_.store(false, std::memory_order_relaxed);
  may_measure_ =
      base::failure(base::ErrorCode::failed,
                    "the counters of source lines could not be switched off, and would be counted too");
}

base::Result<void> KernelTrace::start() {
  the_trace = this;
  keep_times_on_the_host();
  auto done = register_buffers();
  started_.store(done.has_value(), std::memory_order_release);
  return done ? enable_wanted() : done;
}

base::Result<void> KernelTrace::start_unified_memory(int devices) {
  if (api_.cuptiActivityConfigureUnifiedMemoryCounter == nullptr)
    return base::failure(base::ErrorCode::unsupported, "this CUPTI tells nothing of managed memory");
  std::vector<CUpti_ActivityUnifiedMemoryCounterConfig> configs;
  for (int device = 0; device < devices; ++device)
    for (const auto kind : kUnifiedMemoryKinds)
      configs.push_back({CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE, kind,
                         static_cast<std::uint32_t>(device), 1});
  auto code = api_.cuptiActivityConfigureUnifiedMemoryCounter(configs.data(),
                                                              static_cast<std::uint32_t>(configs.size()));
  if (code != CUPTI_SUCCESS) return cupti_failure(api_, code, "cuptiActivityConfigureUnifiedMemoryCounter");
  // Where the records are somebody else's come_back() enables it.
  const std::lock_guard lock(kernels_mutex_);
  auto done = is_ours() ? enable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) : base::Result<void>();
  if (done) others_on_.insert(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
  return done;
}

// By the writer thread. A window that is being entered or left keeps it from that; the next record comes here
// again.
void KernelTrace::stop_unified_memory() {
  const std::unique_lock quiet(quiet_mutex_, std::try_to_lock);
  if (!quiet) return;
  const std::lock_guard lock(kernels_mutex_);
  if (others_on_.erase(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) == 0 || !is_ours()) return;
  (void)api_.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

// Under the mutex.
bool KernelTrace::is_wanted(CUpti_ActivityKind kind) const {
  if (paused_) return false;
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return wanted_.kernels && kernel_pauses_ == 0;
  return wanted_.copies || kind != CUPTI_ACTIVITY_KIND_MEMCPY;
}

// Under the mutex. What is refused stays as it is.
CUptiResult KernelTrace::switch_records() {
  CUptiResult result = CUPTI_SUCCESS;
  for (const auto kind : kKinds) {
    const bool on = is_wanted(kind);
    if (on == on_.contains(kind) || !is_ours()) continue;
    const auto code = on ? api_.cuptiActivityEnable(kind) : api_.cuptiActivityDisable(kind);
    if (code != CUPTI_SUCCESS)
      result = code;
    else if (on)
      on_.insert(kind);
    else
      on_.erase(kind);
  }
  return result;
}

std::uint64_t KernelTrace::cupti_now() const {
  std::uint64_t now = 0;
  return api_.cuptiGetTimestamp(&now) == CUPTI_SUCCESS ? now : 0;
}

base::Result<void> KernelTrace::pause_kernels() {
  const std::lock_guard lock(kernels_mutex_);
  ++kernel_pauses_;
  if (const auto code = switch_records(); code != CUPTI_SUCCESS) {
    --kernel_pauses_;
    return cupti_failure(api_, code, "cuptiActivityDisable");
  }
  return {};
}

void KernelTrace::resume_kernels() {
  const std::lock_guard lock(kernels_mutex_);
  --kernel_pauses_;
  if (const auto code = switch_records(); code != CUPTI_SUCCESS)
    note(model::diagnostic_kind("trace", "not_resumed"), code, "cuptiActivityEnable");
}

std::unique_lock<std::mutex> KernelTrace::quiet_in_time() {
  return base::lock_until(quiet_mutex_, std::chrono::steady_clock::now() + kQuietPatience);
}

bool KernelTrace::want(recorder::Traced wanted) {
  const std::unique_lock quiet(quiet_mutex_, std::try_to_lock);
  if (!quiet) return false;
  const std::lock_guard lock(kernels_mutex_);
  const bool changes = wanted_.kernels != wanted.kernels;
  wanted_ = wanted;
  if (changes && !wanted.kernels) switches_.switched_off(cupti_now());
  if (const auto code = switch_records(); code != CUPTI_SUCCESS)
    note(model::diagnostic_kind("trace", "not_switched"), code,
         wanted.kernels ? "cuptiActivityEnable" : "cuptiActivityDisable");
  if (changes && wanted.kernels) switches_.switched_on(cupti_now());
  return true;
}

bool KernelTrace::pause() {
  const std::unique_lock quiet(quiet_mutex_, std::try_to_lock);
  if (!quiet) return false;
  const std::lock_guard lock(kernels_mutex_);
  paused_ = true;
  if (const auto code = switch_records(); code != CUPTI_SUCCESS)
    note(model::diagnostic_kind("trace", "not_switched"), code, "cuptiActivityDisable");
  return true;
}

void KernelTrace::resume() {
  const std::lock_guard lock(kernels_mutex_);
  paused_ = false;
  if (const auto code = switch_records(); code != CUPTI_SUCCESS)
    note(model::diagnostic_kind("trace", "not_resumed"), code, "cuptiActivityEnable");
}

void KernelTrace::leave(const TargetUse& use) {
  flush();
  const auto quiet = quiet_in_time();
  const std::lock_guard lock(kernels_mutex_);
  left_.store(true, std::memory_order_release);
  for (const auto kind : kKinds) (void)api_.cuptiActivityDisable(kind);
  on_.clear();
  for (const auto kind : others_on_) (void)api_.cuptiActivityDisable(kind);
  // Buffers of others hold whatever they hold.
  std::uint8_t no = 0;
  std::size_t size = sizeof no;
  (void)api_.cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &no);
  if (use.clock() != nullptr && api_.cuptiActivityRegisterTimestampCallback != nullptr)
    (void)api_.cuptiActivityRegisterTimestampCallback(use.clock());
  if (use.completed() != nullptr) (void)api_.cuptiActivityRegisterCallbacks(use.requested(), use.completed());
}

base::Result<void> KernelTrace::come_back(const TargetUse& use, std::int64_t clock_offset_ns) {
  const auto quiet = this->quiet();
  const std::lock_guard lock(kernels_mutex_);
  their_completed_ = use.completed();
  clock_offset_ns_ = clock_offset_ns;
  // CUPTI has no way to say that its own clock is wanted again.
  if (use.clock() != nullptr) {
    const auto code = api_.cuptiActivityRegisterTimestampCallback == nullptr
                          ? CUPTI_ERROR_NOT_SUPPORTED
                          : api_.cuptiActivityRegisterTimestampCallback(&clock);
    if (code != CUPTI_SUCCESS) return cupti_failure(api_, code, "cuptiActivityRegisterTimestampCallback");
  }
  launches_counted_ = false;
  auto done = register_buffers();
  if (done) done = enable_wanted();
  for (const auto kind : others_on_)
    if (done) done = enable(kind);
  left_.store(!done, std::memory_order_release);
  return done;
}

std::uint64_t CUPTIAPI KernelTrace::clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() +
                                    the_trace->clock_offset_ns_.load(std::memory_order_relaxed));
}

// A forced flush delivers running kernels without an end, and never again.
void KernelTrace::flush() {
  const auto quiet = quiet_in_time();
  if (!quiet)
    return diagnostics_.add(model::diagnostic_kind("trace", "not_flushed"),
                            {"another thread waits for the GPU"});
  if (left_.load(std::memory_order_relaxed)) return;
  if (const auto code = api_.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); code != CUPTI_SUCCESS)
    note(model::diagnostic_kind("trace", "not_flushed"), code, "cuptiActivityFlushAll");
}

std::span<std::uint8_t> KernelTrace::take_buffer() {
  std::unique_lock lock(pool_mutex_);
  if (pool_.empty()) {
    lock.unlock();
    auto* fresh = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, BufferSize::kMost));
    if (fresh == nullptr) return {};
    count_taken(fresh);
    std::memset(fresh, 0, BufferSize::kMost);
    lock.lock();
    pool_.push_back(fresh);
  }
  auto* buffer = pool_.back();
  handed_out_.insert(buffer);
  pool_.pop_back();
  return {buffer, buffer_size_.next(std::chrono::steady_clock::now())};
}

bool KernelTrace::came_back(std::uint8_t* buffer) {
  const std::lock_guard lock(pool_mutex_);
  return handed_out_.erase(buffer) > 0;
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
  count_given_back(buffer);
  std::free(buffer);
}

void CUPTIAPI KernelTrace::requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  guarded("buffer_requested", [&] {
    const auto taken = the_trace->take_buffer();
    *buffer = taken.data();
    *size = taken.size();
    *max_records = 0;
  });
}

// A buffer that the target handed out before it gave CUPTI back may come late.
void CUPTIAPI KernelTrace::completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                     std::size_t size, std::size_t valid_bytes) {
  guarded("buffer_completed", [&] {
    if (!the_trace->came_back(buffer)) {
      if (const auto theirs = the_trace->their_completed_.load(); theirs != nullptr)
        theirs(context, stream, buffer, size, valid_bytes);
      return;
    }
    const recorder::ActivityBuffer filled{buffer, valid_bytes, the_trace->launches_counted_};
    if (valid_bytes > 0 && the_trace->deliver_(filled)) return;
    the_trace->give_back(buffer, size);
  });
}

}  // namespace coalescope::cupti
