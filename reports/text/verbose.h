#pragma once
// The long report: every finding with its evidence, and every table.

#include <string>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/text/style.h"

namespace coalescope::text {

[[nodiscard]] std::vector<std::string> verbose_lines(const analysis::Report& report, Style style,
                                                     std::size_t width);

}  // namespace coalescope::text
