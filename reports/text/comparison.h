#pragma once
// A comparison for a terminal: the verdict and a handful of rows, or everything.

#include <string>

#include "reports/comparison/comparison.h"
#include "reports/text/text.h"

namespace coalescope::text {

[[nodiscard]] std::string to_text(const comparison::Comparison& comparison, const TextOptions& options);

}  // namespace coalescope::text
