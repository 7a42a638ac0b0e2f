#pragma once
// What a finding comes to in a kernel that its reader cannot edit: advice about the call that he can change,
// in his language, where the cost comes from how the kernel was called; else the finding stands aside.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Changes the advice of findings, or sets Finding::aside. Each is of one kernel still.
void advise_calls(std::vector<Finding>& findings, const Report& report);

// The same for copies, once it is known which line makes them (call_blame.h).
void advise_copies(std::vector<Finding>& findings, const Report& report);

}  // namespace coalescope::analysis
