#include "reports/analysis/rows/plain_wait_gaps.h"

#include <algorithm>

#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/spans.h"

namespace coalescope::analysis {

void PlainWaitGaps::add(const OperationBegin& operation, bool disturbed) {
  const auto first = next_;
  for (; next_ != calls_.plain_waits.end() && next_->ended_ns <= operation.start_ns; ++next_) {
    if (disturbed) continue;
    ++met_;
    met_ns_ += next_->ended_ns - next_->began_ns;
  }
  if (first != next_) {
    const auto wait = std::prev(next_);
    const std::int64_t before_ns = wait == calls_.plain_waits.begin() ? 0 : std::prev(wait)->ended_ns;
    if (!disturbed) add_pause(operation, *wait, before_ns);
    launches_ = 0;
  }
  if (operation.is_kernel) ++launches_;
}

// Without the wait the host is ahead by as long as it waited. Without the recorder it would wait for longer:
// the launches before the wait would take less time, and the GPU's work as much.
void PlainWaitGaps::add_pause(const OperationBegin& operation, const PlainWait& wait,
                              std::int64_t before_ns) {
  const std::int64_t gap = operation.start_ns - operation.last_end_ns;
  if (!operation.is_kernel || operation.last_end_ns == 0 || gap <= 0 || gap > kLongestLaunchNs) return;
  if (wait.ended_ns < operation.last_end_ns || operation.download_end_ns > before_ns ||
      any_between(calls_.others, operation.last_end_ns, operation.start_ns))
    return;
  const std::int64_t waited = wait.ended_ns - wait.began_ns + launches_ * launch_extra_ns_;
  ++found_.plain_waits;
  found_.plain_wait_idle_ns += gap;
  found_.plain_wait_gap_ns += std::max<std::int64_t>(0, std::min(gap - launch_extra_ns_, waited));
  if (wait.call_site) ++found_.plain_wait_sites[*wait.call_site];
}

// Waits that are not listed are short. They count as many waits of the mean length as their time makes.
void PlainWaitGaps::take_into(TimelineRow& row) const {
  row.plain_waits = found_.plain_waits;
  row.plain_wait_idle_ns = found_.plain_wait_idle_ns;
  row.plain_wait_gap_ns = found_.plain_wait_gap_ns;
  row.plain_wait_sites = found_.plain_wait_sites;
  if (met_ns_ <= 0) return;
  const double unlisted = real(calls_.plain_unlisted_ns) * real(met_) / real(met_ns_);
  row.waits_for_each_met = std::max(1.0, (real(std::ssize(calls_.plain_waits)) + unlisted) / real(met_));
}

}  // namespace coalescope::analysis
