#include "reports/analysis/judge/host_limit.h"

#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/figures/second_half.h"

namespace coalescope::analysis {
namespace {

// Of the time: where the GPU idles, waits that no call shows may be why.
constexpr double kHardlyIdle = 0.9;
// Of the run: a host that is never seen to wait waits in a way that is not recorded.
constexpr double kSeenToWait = 0.02;

}  // namespace

void limit_to_host(std::vector<Finding>& findings, const Report& report) {
  const auto half = second_half(report);
  const auto wait_ns = report.program.host_wait_ns;
  if (!half || half->kernels_share < kHardlyIdle || !wait_ns ||
      real(*wait_ns) < kSeenToWait * real(run_ns(report.totals)))
    return;
  for (Finding& finding : findings) {
    if (finding.lost_ns.value_or(0) <= *wait_ns || !is_of_kernels_alone(finding)) continue;
    const double part = real(*wait_ns) / real(*finding.lost_ns);
    finding.basis += fmt::format(
        "; the kernels would take {} less, but the host waits for the GPU for only {}: beyond that "
        "it limits the run",
        base::format_ns(*finding.lost_ns), base::format_ns(*wait_ns));
    finding.lost_ns = *wait_ns;
    if (finding.lost_share) *finding.lost_share *= part;
  }
}

}  // namespace coalescope::analysis
