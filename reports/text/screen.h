#pragma once
// The one-screen report.

#include <string>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/text/text.h"

namespace coalescope::text {

// What ran, on which GPU, and what is missing: the first lines of every text report. `most_notices` 0 is all.
[[nodiscard]] std::vector<std::string> header_lines(const analysis::Report& report, std::size_t width,
                                                    std::size_t most_notices);

[[nodiscard]] std::vector<std::string> screen_lines(const analysis::Report& report,
                                                    const TextOptions& options);

}  // namespace coalescope::text
