#pragma once
// Which call of the program a finding is about: the call site behind most of the time of the finding's rows.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Fills Finding::call_site and the members beside it.
void name_calls(std::vector<Finding>& findings, const Report& report);

}  // namespace coalescope::analysis
