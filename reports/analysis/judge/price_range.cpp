#include "reports/analysis/judge/price_range.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

struct PriceError {
  std::string_view rule;
  double of_subject = 0;
};
// The error that 80 % of a rule's predictions keep to, as a share of the subject's time: of the twins
// (docs/accuracy.md) and the jury (docs/jury.md), 96 predictions on an H100. Rules with fewer than five have
// what 90 % of all predictions keep to.
constexpr std::array kErrors{
    PriceError{"A01", 0.07},
    PriceError{"G01", 0.05},
    PriceError{"L01", 0.09},
    PriceError{"S01", 0.14},
};
constexpr double kErrorOfOthers = 0.16;

double error_of(std::string_view rule) {
  const auto found = std::ranges::find(kErrors, rule, &PriceError::rule);
  return found == kErrors.end() ? kErrorOfOthers : found->of_subject;
}

}  // namespace

void take_range(Finding& finding) {
  if (finding.lost_ns.value_or(0) <= 0 || !finding.subject_ns) return;
  const std::int64_t lost = *finding.lost_ns, whole = std::max(lost, *finding.subject_ns);
  const std::int64_t error = base::whole(error_of(finding.rule) * static_cast<double>(whole));
  finding.least_lost_ns = std::max<std::int64_t>(0, lost - error);
  finding.most_lost_ns = std::min(whole, base::sum_of(lost, error));
}

}  // namespace coalescope::analysis
