#pragma once
// Transfers on the one-screen report.

#include <cstddef>
#include <string>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/text/style.h"

namespace coalescope::text {

// "8.42 GB/s, pinned 53.8 GB/s": how fast the transfers are that a finding is about. Empty: it is about none.
[[nodiscard]] std::string transfer_speed(const analysis::Report& report, const analysis::Finding& finding);

// A line for each direction.
[[nodiscard]] std::vector<std::string> transfer_section(const analysis::Report& report, Style style,
                                                        std::size_t width);

}  // namespace coalescope::text
