#include "reports/analysis/rules/missing.h"

#include <algorithm>
#include <fmt/format.h>

#include "reports/analysis/rows/unmeasured.h"

namespace coalescope::analysis {

Measure lacks(const KernelRow& row, model::Phase phase, std::string_view what) {
  const auto gap = std::ranges::find(row.unmeasured, phase, &Unmeasured::phase);
  if (gap != row.unmeasured.end())
    return not_measured(fmt::format("{} not measured: {}", subject_of(phase), cause_of(gap->reason)));
  return not_measured(fmt::format("{} were not counted", what));
}

}  // namespace coalescope::analysis
