#pragma once
// A comparison as one page, in the frame of the report's.

#include <string>

#include "reports/comparison/comparison.h"

namespace coalescope::html {

[[nodiscard]] std::string to_html(const comparison::Comparison& comparison);

}  // namespace coalescope::html
