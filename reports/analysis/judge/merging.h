#pragma once
// Puts findings of one fault together, without counting any time twice.

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// `finding` takes rows, time and loss of `other`, and its line where it has none itself. The time of a kernel
// that both are about counts once. Sentences and figures stay those of `finding`.
void merge_into(Finding& finding, Finding&& other);

}  // namespace coalescope::analysis
