#pragma once
// The worst offenders of the one-screen report.

#include <cstddef>
#include <string>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/text/style.h"

namespace coalescope::text {

// At most five offenders in `room` lines, then a sentence about what is hidden. Where not everything fits,
// all five come first, then `kept` free lines for the table of kernels, then whole advice for more than the
// first.
[[nodiscard]] std::vector<std::string> ranking(const analysis::Report& report, Style style, std::size_t room,
                                               std::size_t kept, std::size_t width);

}  // namespace coalescope::text
