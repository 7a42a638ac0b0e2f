#include "reports/analysis/judge/behind_copies.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/figures/second_half.h"

namespace coalescope::analysis {
namespace {

// Of the time: between two copies the next one is asked for.
constexpr double kWithoutPause = 0.95;

}  // namespace

void discount_behind_copies(std::vector<Finding>& findings, const Report& report) {
  const auto half = second_half(report);
  if (!half || half->copies_share < kWithoutPause || half->kernels_share <= 0 ||
      half->kernels_share >= half->copies_share)
    return;
  const double beside = std::min(1.0, half->at_once_share / half->kernels_share);
  for (Finding& finding : findings) {
    if (!finding.lost_ns || !is_of_kernels_alone(finding)) continue;
    finding.lost_ns = base::whole(real(*finding.lost_ns) * (1 - beside));
    if (finding.lost_share) *finding.lost_share *= 1 - beside;
    finding.basis += fmt::format("; copies never pause, and run beside {} of the kernels' time",
                                 base::format_share(beside));
  }
}

}  // namespace coalescope::analysis
