#pragma once
// The first lines of every text report.

#include <string>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/text/style.h"

namespace coalescope::text {

// What ran, on which GPU, and what is missing. `most_notices` 0 is all.
[[nodiscard]] std::vector<std::string> header_lines(const analysis::Report& report, Style style,
                                                    std::size_t width, std::size_t most_notices);

}  // namespace coalescope::text
