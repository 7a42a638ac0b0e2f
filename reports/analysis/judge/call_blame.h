#pragma once
// Which call of the program a finding is about: the call site behind most of the time of the finding's rows.

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Fills Finding::call_site and the members beside it.
void name_calls(Report& report);

}  // namespace coalescope::analysis
