#pragma once
// How sure a predicted saving is: within which range four of five such predictions came true.

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Sets the ends of what a priced finding may save; its subject's time must be known.
void take_range(Finding& finding);

}  // namespace coalescope::analysis
