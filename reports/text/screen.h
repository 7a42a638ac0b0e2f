#pragma once
// The one-screen report.

#include <string>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/text/style.h"

namespace coalescope::text {

[[nodiscard]] std::vector<std::string> screen_lines(const analysis::Report& report, Style style,
                                                    std::size_t width, std::size_t height);

}  // namespace coalescope::text
