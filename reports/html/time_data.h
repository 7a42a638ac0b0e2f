#pragma once
// What the charts over time draw, in few enough bytes for a page.

#include <cstddef>
#include <string>

#include "reports/analysis/report.h"

namespace coalescope::html {

// Above these a chart is a blot, and the page grows for nothing.
inline constexpr std::size_t kDevicesDrawn = 8, kMemoriesDrawn = 4;

// As JSON.
std::string time_line_data(const analysis::Report& report);
std::string memory_data(const analysis::Report& report);

}  // namespace coalescope::html
