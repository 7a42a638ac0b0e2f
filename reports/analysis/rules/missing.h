#pragma once
// Why a rule has nothing to judge, in words that do not name the kernel, so that kernels with the same gap
// are one row of the report.

#include <string>
#include <string_view>

#include "reports/analysis/rules/rule.h"

namespace coalescope::analysis {

// The phase had no launch of this kernel, or it had and does not count `what`.
[[nodiscard]] Measure lacks(const KernelRow& row, model::Phase phase, std::string_view what);

}  // namespace coalescope::analysis
