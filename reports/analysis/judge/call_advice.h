#pragma once
// What a finding comes to in a kernel that its reader cannot edit: advice about the call that he can change,
// in his language, where the cost comes from how the kernel was called; else the finding stands aside.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Changes the advice of findings, or sets Finding::aside. Shapes of a kernel are apart still.
void advise_calls(std::vector<Finding>& findings, const Report& report);

// The same for copies and for operations in a row, once it is known which line makes them (call_blame.h).
void advise_copies(std::vector<Finding>& findings, const Report& report);
void advise_operations(std::vector<Finding>& findings, const Report& report);

}  // namespace coalescope::analysis
