#pragma once
// What several formats say of a report as a whole, once.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// "./app --label 'first try'"; "" where the command was not recorded.
[[nodiscard]] std::string command_text(const Report& report);

// Why there is no finding.
[[nodiscard]] std::string nothing_found(const Report& report);

// "4 findings inside library kernels are hidden; coalescope report FILE --all shows them."; empty: none
// stands aside.
[[nodiscard]] std::string findings_aside(const Report& report);

// Kernel groups of which no access was counted: no rule could judge them.
[[nodiscard]] std::int64_t unjudged_kernels(const Report& report);

// "copy<3> and 4 more".
[[nodiscard]] std::string and_more(std::string_view first, std::int64_t in_all);

// A reason for which something was not measured, in full, with all that lack it.
struct Gap {
  std::string text;
  std::set<model::Phase> phases;
  std::vector<const KernelRow*> kernels;  // of the report
};
[[nodiscard]] std::vector<Gap> gaps_of(const Report& report);

}  // namespace coalescope::analysis
