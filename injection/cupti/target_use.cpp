#include "injection/cupti/target_use.h"

namespace coalescope::cupti {
namespace {

// A profiler may go on after its last flush: torch.profiler sets an attribute there.
constexpr std::chrono::milliseconds kQuiet{200};

}  // namespace

bool TargetUse::called(const TargetCallInfo& info, Time now) {
  last_call_ = now;
  switch (info.call) {
    case TargetCall::disable:
      // Between two uses it has switched off a kind of ours: the recorder has to leave.
      kinds_.erase(info.number);
      flushed_ = false;
      return begun_;
    case TargetCall::flush:
      flushed_ = (info.number & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0;
      return false;
    case TargetCall::clock:
      clock_ = info.clock;
      break;
    case TargetCall::buffers:
      requested_ = info.requested;
      completed_ = info.completed;
      break;
    case TargetCall::enable:
      kinds_.insert(info.number);
      break;
    case TargetCall::for_good:
      for_good_ = true;
      break;
    case TargetCall::begin:
      break;
  }
  flushed_ = flushed_ && info.call == TargetCall::begin;
  begun_ = true;
  return true;
}

bool TargetUse::is_over(Time now) const {
  return begun_ && !for_good_ && completed_ != nullptr && kinds_.empty() && flushed_ &&
         now - last_call_ >= kQuiet;
}

// Never destroyed: the target's threads may call until the very end.
ProcessUse& process_use() {
  static ProcessUse& the_use = *new ProcessUse;
  return the_use;
}

}  // namespace coalescope::cupti
