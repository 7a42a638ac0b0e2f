#pragma once
// The long report: every finding with its evidence, and every table.

#include <string>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/text/style.h"

namespace coalescope::text {

[[nodiscard]] std::vector<std::string> verbose_lines(const analysis::Report& report, Style style,
                                                     std::size_t width);

// One section whole; where the capture has nothing for it, a line that says so.
[[nodiscard]] std::vector<std::string> section_lines(const analysis::Report& report, std::string_view name,
                                                     Style style, std::size_t width);

}  // namespace coalescope::text
