#include "reports/analysis/judge/host_limit.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/figures/second_half.h"
#include "reports/analysis/rows/recording_cost.h"

namespace coalescope::analysis {
namespace {

// Of the time: where the GPU idles, waits that no call shows may be why.
constexpr double kHardlyIdle = 0.9;
// Of the run: a host that is never seen to wait waits in a way that is not recorded.
constexpr double kSeenToWait = 0.02;

// Of the time of a repaired run for which the host works: launches that are no longer made need none of it.
double host_ns_saved(const Finding& finding, const Report& report, double host_ns) {
  const double launches = real(all_launches(report.kernels));
  return launches <= 0 ? 0 : std::min(1.0, real(finding.fewer_launches) / launches) * host_ns;
}

}  // namespace

void limit_to_host(std::vector<Finding>& findings, const Report& report) {
  const auto half = second_half(report);
  const auto wait_ns = report.program.host_wait_ns;
  if (!half || half->kernels_share < kHardlyIdle || !wait_ns ||
      real(*wait_ns) < kSeenToWait * real(run_ns(report.totals)))
    return;
  const double host_ns =
      std::max(0.0, real(own_kernel_ns(report.totals)) / half->kernels_share - real(*wait_ns));
  for (Finding& finding : findings) {
    if (!finding.lost_ns || !is_of_kernels_alone(finding)) continue;
    const double most_ns = real(*wait_ns) + host_ns_saved(finding, report, host_ns);
    if (real(*finding.lost_ns) <= most_ns) continue;
    finding.basis += fmt::format(
        "; the kernels would take {} less, but the host {} for only {}{}: beyond that it limits the run",
        base::format_ns(*finding.lost_ns),
        finding.fewer_launches > 0 ? "would wait and launch" : "waits for the GPU",
        base::format_ns(base::whole(most_ns)), finding.fewer_launches > 0 ? " less" : "");
    if (finding.lost_share) *finding.lost_share *= most_ns / real(*finding.lost_ns);
    finding.lost_ns = base::whole(most_ns);
  }
}

}  // namespace coalescope::analysis
