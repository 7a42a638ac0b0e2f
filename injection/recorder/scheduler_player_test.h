#pragma once
// Plays launches to a scheduler the way the arbiter does and tells in which phase each was measured; trace:
// in none.

#include <cstdint>

#include "injection/recorder/scheduler.h"

namespace coalescope::recorder {

inline constexpr std::int64_t kMillisecond = 1'000'000;

class Player {
 public:
  explicit Player(const SchedulerOptions& options) : scheduler(options) {}

  model::Phase launch(GroupNeeds& group, std::int64_t now_ns = 0, std::uint64_t context = kContext) {
    ++group.launches;
    const auto phase = scheduler.decide(group, context, now_ns, all_gpu_ns);
    if (phase == model::Phase::trace) group.took(kTimedNs);
    if (!phase || phase == model::Phase::trace) return model::Phase::trace;
    if (!sweeps(*phase) || scheduler.open() != phase || context != context_) {
      if (sweeps(*phase)) {
        in_window = 0;
        context_ = context;
        ++sweeps_begun;
      }
      scheduler.opened(*phase, context, now_ns);
      ++windows;
    }
    group.count(*phase, 1);
    scheduler.charge_launch(group, *phase, launch_cost_ns, now_ns);
    if (!sweeps(*phase)) return *phase;
    if (++in_window == kCapacity) scheduler.closed();
    return *phase;
  }

  static constexpr std::uint64_t kContext = 9;
  static constexpr std::int64_t kTimedNs = 10'000;  // of each launch that is timed
  Scheduler scheduler;
  std::int64_t all_gpu_ns = 0;
  std::int64_t launch_cost_ns = 50'000;
  int windows = 0;
  int sweeps_begun = 0;  // of those

 private:
  static constexpr int kCapacity = 32;
  int in_window = 0;
  std::uint64_t context_ = 0;  // of the open window
};

}  // namespace coalescope::recorder
