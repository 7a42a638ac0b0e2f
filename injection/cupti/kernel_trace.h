#pragma once
// The activity trace: times of kernels, copies, memory sets and waits, and what managed memory did.
//
// Life cycle:
//   1. start(): buffer callbacks registered, kinds switched on; before the first context
//   2. CUPTI asks for buffers and hands back full ones, in threads of its own or the target's: only queued
//   3. decode(), on the writer thread: records become rows, the buffer returns to the pool
//   4. pause_kernels()/resume_kernels() around windows that count by patching: with kernel activity on, every
//      patched value would be zero, without an error
//      Whoever enters or leaves a window holds quiet() meanwhile: see there. Kernels are switched on and off
//      only while no thread asks for a memory set (docs/decisions/024)
//   5. flush() at the end, for buffers that are not full
//   6. leave() when the target uses CUPTI itself, come_back() when that is over

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "injection/cupti/buffer_size.h"
#include "injection/cupti/cupti_api.h"
#include "injection/cupti/kernel_switches.h"
#include "injection/cupti/target_use.h"
#include "injection/recorder/backend.h"
#include "injection/recorder/diagnostics.h"
#include "injection/recorder/records.h"

namespace coalescope::cupti {

// What records have had since CUPTI of CUDA 12.6. Later releases append to them, and CUPTI itself steps from
// one to the next.
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
using MemsetRecord = CUpti_ActivityMemset4;
using UnifiedMemoryRecord = CUpti_ActivityUnifiedMemoryCounter2;

class KernelTrace {
 public:
  // False: the buffer was not taken.
  using Deliver = std::function<bool(const recorder::ActivityBuffer&)>;

  // `zero_ns`: the capture's beginning on CUPTI's clock.
  KernelTrace(const CuptiApi& api, std::int64_t zero_ns, Deliver deliver, recorder::Diagnostics& diagnostics);

  [[nodiscard]] base::Result<void> start();
  // Migrations and faults of managed memory, on devices 0 to `devices` - 1; after cuInit only.
  [[nodiscard]] base::Result<void> start_unified_memory(int devices);
  // Each pause is followed by a resume.
  [[nodiscard]] base::Result<void> pause_kernels();
  void resume_kernels();
  // What has records outside of those pauses; all of it at first. False: a window is being entered or left,
  // and nothing was switched.
  [[nodiscard]] bool want(recorder::Traced wanted);
  // Neither kernels nor copies nor memory sets have records between the two. False: a window is being entered
  // or left, and nothing was paused.
  [[nodiscard]] bool pause();
  void resume();
  // Kernels stay patched for source lines: their times, and whatever else is counted, contain the patching.
  // The caller holds quiet().
  void stays_patched();
  // Keeps flush() and want() away. Seen on an H100: cuptiRangeProfilerStart, holding a lock of the
  // driver's, waits for a lock that a concurrent cuptiActivityFlushAll holds, which waits for a thread that
  // waits for the driver's.
  [[nodiscard]] std::unique_lock<std::mutex> quiet() { return std::unique_lock(quiet_mutex_); }
  // The same, unless somebody holds it for too long.
  [[nodiscard]] std::unique_lock<std::mutex> quiet_in_time();
  // An error says why nothing may be measured: records that are delivered beside a window may stop the
  // program for ever, or kernels stay patched. The caller holds quiet().
  [[nodiscard]] const base::Result<void>& may_measure() const { return may_measure_; }
  // Everything recorded so far is delivered. Only when nothing follows: seen on an H200 (driver 580.159,
  // CUPTI 13.0), a program that changes a graph with a copy before each launch crashes after any
  // cuptiActivityFlushAll (docs/decisions/023).
  void flush();
  // Everything recorded so far is delivered, and nothing after that. The target's clock and buffer callbacks
  // are in place again, if it has any.
  void leave(const TargetUse& use);
  [[nodiscard]] bool has_left() const { return left_.load(std::memory_order_acquire); }
  // Records as start(); `clock_offset_ns`: CUPTI's own clock less the system's. An error: call leave().
  [[nodiscard]] base::Result<void> come_back(const TargetUse& use, std::int64_t clock_offset_ns);
  void decode(const recorder::ActivityBuffer& buffer, recorder::TraceSink& sink);

 private:
  [[nodiscard]] bool is_ours() const { return started_.load(std::memory_order_acquire) && !has_left(); }
  // CUPTI's buffer callbacks carry no user data: the one instance of the process is found through this.
  static void CUPTIAPI requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
  static void CUPTIAPI completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t valid_bytes);
  [[nodiscard]] recorder::KernelRun kernel_run(const KernelRecord& kernel, bool launches_counted);
  [[nodiscard]] model::Transfer transfer(const auto& record) const;
  [[nodiscard]] model::UnifiedMemory unified_memory(const UnifiedMemoryRecord& record) const;
  static std::uint64_t CUPTIAPI clock();
  [[nodiscard]] base::Result<void> register_buffers();
  [[nodiscard]] base::Result<void> enable(CUpti_ActivityKind kind);
  [[nodiscard]] base::Result<void> enable_wanted();
  [[nodiscard]] bool is_wanted(CUpti_ActivityKind kind) const;
  void keep_times_on_the_host();  // or refuses windows
  // Empty: no memory is left.
  [[nodiscard]] std::span<std::uint8_t> take_buffer();
  // False: it is not ours.
  [[nodiscard]] bool came_back(std::uint8_t* buffer);
  void give_back(std::uint8_t* buffer, std::size_t used_bytes);
  void take_unified_memory(const CUpti_Activity* record, recorder::TraceSink& sink);
  void stop_unified_memory();
  [[nodiscard]] CUptiResult switch_records();
  [[nodiscard]] std::uint64_t cupti_now() const;
  void note(const model::DiagnosticKind& kind, CUptiResult result, const char* call);

  const CuptiApi& api_;
  const std::int64_t zero_ns_;
  Deliver deliver_;
  recorder::Diagnostics& diagnostics_;
  base::Result<void> may_measure_;
  std::atomic<bool> times_trusted_{true};
  std::atomic<bool> started_{false};
  std::atomic<bool> left_{false};             // the records are somebody else's
  std::atomic<bool> launches_counted_{true};  // by the launch callbacks, which do not come back
  std::atomic<CUpti_BuffersCallbackCompleteFunc> their_completed_{nullptr};
  std::atomic<std::int64_t> clock_offset_ns_{0};
  std::set<CUpti_ActivityKind> others_on_;  // kinds beside those of start()
  std::int64_t unified_memory_records_ = 0;
  std::mutex kernels_mutex_;
  int kernel_pauses_ = 0;
  bool paused_ = false;
  recorder::Traced wanted_;
  std::set<CUpti_ActivityKind> on_;  // of the kinds of start()
  KernelSwitches switches_;
  std::mutex quiet_mutex_;
  std::mutex pool_mutex_;
  BufferSize buffer_size_;
  std::set<std::uint8_t*> handed_out_;
  std::vector<std::uint8_t*> pool_;  // zeroed, so that CUPTI need not clear them in the target's thread
};

}  // namespace coalescope::cupti
