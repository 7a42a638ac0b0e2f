#pragma once
// What a reader must know before any number: what did not happen, what was cut off, what could not be
// measured.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// The gravest first; their texts are whole sentences. Reads everything of the report but its findings.
[[nodiscard]] std::vector<model::Diagnostic> notices_of(const Report& report);

}  // namespace coalescope::analysis
