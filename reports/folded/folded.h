#pragma once
// The call stacks of a report as lines "outermost;...;innermost;kernel WEIGHT", which flame graph tools read.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::folded {

enum class Weight {
  gpu_time,   // nanoseconds of kernels and transfers
  lost_time,  // nanoseconds that the findings' repairs would save; a finding counts at its costliest call
              // site
};
// The names of the weights, for the command line, in the order of the enumeration.
[[nodiscard]] const std::vector<std::string>& weight_names();
[[nodiscard]] std::optional<Weight> weight_of(std::string_view name);

// Calls whose stack is not known stand below "(unknown call site)". Lines are in the order of their text.
[[nodiscard]] std::string to_folded(const analysis::Report& report, Weight weight);

}  // namespace coalescope::folded
