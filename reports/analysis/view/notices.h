#pragma once
// What a reader must know before any number: what did not happen, what was cut off, what could not be
// measured.

#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Whole sentences, the gravest first. Reads everything of the report but its findings.
[[nodiscard]] std::vector<std::string> notices_of(const Report& report);

}  // namespace coalescope::analysis
