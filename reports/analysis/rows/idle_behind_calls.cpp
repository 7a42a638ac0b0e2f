#include "reports/analysis/rows/idle_behind_calls.h"

#include <algorithm>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

// How much of the time from `began_ns` to `ended_ns` is in no span.
std::int64_t idle_within(std::int64_t began_ns, std::int64_t ended_ns, std::span<const TimeSpan> occupied) {
  std::int64_t idle_ns = ended_ns - began_ns;
  auto span = std::ranges::upper_bound(occupied, began_ns, {}, &TimeSpan::second);
  for (; span != occupied.end() && span->first < ended_ns; ++span)
    idle_ns -= std::min(span->second, ended_ns) - std::max(span->first, began_ns);
  return idle_ns;
}

using WorkOf = std::function<double(std::size_t cause, std::int64_t calls)>;

void add_stretches(std::vector<IdleBehind>& behind, std::span<const HostCall> calls,
                   std::span<const TimeSpan> occupied, const WorkOf& work_ns) {
  for (std::size_t first = 0; first < calls.size();) {
    const std::size_t cause = calls[first].cause;
    std::size_t next = first;
    std::int64_t calls_ns = 0;
    for (; next < calls.size() && calls[next].cause == cause; ++next)
      base::add_to(calls_ns, calls[next].ended_ns - calls[next].began_ns);
    const std::int64_t began_ns = calls[first].began_ns;
    const std::int64_t ended_ns = next < calls.size()
                                      ? calls[next].began_ns
                                      : std::max(occupied.back().second, calls[next - 1].ended_ns);
    const auto number = static_cast<std::int64_t>(next - first);
    first = next;
    if (cause == kOtherCause || ended_ns <= began_ns) continue;
    const double others_ns = real(calls_ns) - work_ns(cause, number);
    const double idle_ns = std::min(real(idle_within(began_ns, ended_ns, occupied)), others_ns);
    behind[cause].calls += number;
    behind[cause].idle_ns += std::max(0.0, idle_ns);
  }
}

}  // namespace

std::vector<IdleBehind> idle_behind_calls(std::map<std::int64_t, std::vector<HostCall>>&& calls,
                                          const OccupiedByProcess& occupied, std::size_t causes,
                                          const WorkOf& work_ns) {
  std::vector<IdleBehind> behind(causes);
  for (auto& [process, list] : calls) {
    const auto times = occupied.find(process);
    if (times == occupied.end() || times->second.all.empty()) continue;
    for (const auto& [from, to] : times->second.unknown) list.push_back({from, to, kOtherCause});
    std::ranges::stable_sort(list, {}, &HostCall::began_ns);
    add_stretches(behind, list, times->second.all, work_ns);
  }
  return behind;
}

}  // namespace coalescope::analysis
