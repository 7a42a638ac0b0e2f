#include "reports/analysis/judge/price_range.h"

#include <algorithm>

#include "core/base/whole.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
void take_range(Finding& finding) {
  if (finding.lost_ns.value_or(0) <= 0 || !finding.subject_ns) return;
  const std::int64_t lost = *finding.lost_ns, whole = std::max(lost, *finding.subject_ns);
  const RuleAbout& about = about_rule(finding);
  const std::int64_t error =
      base::whole(about.price_error * static_cast<double>(about.is_loss_error ? lost : whole));
  finding.least_lost_ns = std::max<std::int64_t>(0, lost - error);
  finding.most_lost_ns = std::min(whole, base::sum_of(lost, error));
}

}  // namespace coalescope::analysis
