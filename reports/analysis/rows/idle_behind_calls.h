#pragma once
// What it costs that calls keep the host: until they return nothing is launched, and the GPU idles until the
// host is ahead again.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "reports/analysis/rows/time_line.h"

namespace coalescope::analysis {

// A call that kept the host for a while.
struct HostCall {
  std::int64_t began_ns = 0, ended_ns = 0;
  std::size_t cause = 0;  // what of the program it belongs to, by a number of the caller's
};
// Waits for anything else.
inline constexpr std::size_t kOtherCause = std::numeric_limits<std::size_t>::max();

// Whether the host waited, and did not only make a call. Where copies wait for nothing, nine in ten of the
// calls that take 10 us or more take 55 us at most (seven programs, an H100).
[[nodiscard]] inline bool is_wait(const model::Synchronization& call) {
  return call.kind != model::SynchronizationKind::copy || call.wait_ns >= 50'000;
}

struct IdleBehind {
  std::int64_t calls = 0;  // that were looked at
  double idle_ns = 0;      // that would not be without them
};

// By the cause. The calls of a cause are taken together until the host waits for something else: what it
// gains before that wait is lost in it. Such a stretch lasts as long as the GPU's work and idle time, and as
// long as the calls and the host's own time. Without the calls it would last
//
//   max(work - work_ns, stretch - calls)
//
// where `work_ns` is the GPU's work that the calls are for. Its idle time would be shorter by
// min(idle, calls - work_ns).
//
// `calls` by process, in any order; those of several causes do not overlap. Times of which nothing is known
// come from `occupied`.
[[nodiscard]] std::vector<IdleBehind> idle_behind_calls(
    std::map<std::int64_t, std::vector<HostCall>>&& calls, const OccupiedByProcess& occupied,
    std::size_t causes, const std::function<double(std::size_t cause, std::int64_t calls)>& work_ns);

}  // namespace coalescope::analysis
