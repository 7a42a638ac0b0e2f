#pragma once
// The target's own use of CUPTI, as far as target_calls.cpp sees its calls: what it has set there, and
// whether it is over.
//
// Seen of torch.profiler (docs/decisions/005): a use begins with cuptiSubscribe, a clock, buffer callbacks
// and cuptiActivityEnable for each kind. It ends with cuptiActivityDisable for each kind and a forced
// cuptiActivityFlushAll, after which CUPTI holds no buffer of the target's.

#include <chrono>
#include <cstdint>
#include <cupti.h>
#include <mutex>
#include <set>

namespace coalescope::cupti {

enum class TargetCall : std::uint8_t {
  begin,     // any other call with which a use may begin
  clock,     // cuptiActivityRegisterTimestampCallback
  buffers,   // cuptiActivityRegisterCallbacks
  enable,    // cuptiActivityEnable
  disable,   // cuptiActivityDisable, which has succeeded
  flush,     // cuptiActivityFlushAll, which has succeeded
  for_good,  // from here on CUPTI is never ours again: cuptiProfilerInitialize, cuptiFinalize
};

// A call with those of its arguments that matter.
struct TargetCallInfo {
  const char* name = nullptr;
  TargetCall call = TargetCall::begin;
  CUpti_TimestampCallbackFunc clock = nullptr;
  CUpti_BuffersCallbackRequestFunc requested = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed = nullptr;
  std::uint32_t number = 0;  // the activity kind, or the flags of a flush
};

class TargetUse {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // True: CUPTI is the target's from here on, if it was not before.
  bool called(const TargetCallInfo& info, Time now);

  [[nodiscard]] bool begun() const { return begun_; }
  // Every kind of record is off again, every buffer has come back, and nothing has been called for a while.
  [[nodiscard]] bool is_over(Time now) const;

  // What it has registered last; null: nothing.
  [[nodiscard]] CUpti_TimestampCallbackFunc clock() const { return clock_; }
  [[nodiscard]] CUpti_BuffersCallbackRequestFunc requested() const { return requested_; }
  [[nodiscard]] CUpti_BuffersCallbackCompleteFunc completed() const { return completed_; }

 private:
  bool begun_ = false;
  bool for_good_ = false;
  bool flushed_ = false;  // since a kind was switched last
  Time last_call_;
  std::set<std::uint32_t> kinds_;  // that are on
  CUpti_TimestampCallbackFunc clock_ = nullptr;
  CUpti_BuffersCallbackRequestFunc requested_ = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed_ = nullptr;
};

// The process's one. Whoever holds the mutex may also take CUPTI from the target, or give it.
struct ProcessUse {
  std::mutex mutex;
  TargetUse use;
};
[[nodiscard]] ProcessUse& process_use();

}  // namespace coalescope::cupti
