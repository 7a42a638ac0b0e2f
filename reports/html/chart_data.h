#pragma once
// What the charts draw, as JSON. It repeats numbers of the tables and of --json and holds nothing that they
// lack; of long lists only the top goes in, and each part says how many there are in all.

#include <cstddef>
#include <string>

#include "reports/analysis/report.h"

namespace coalescope::html {

// Above this a chart is a blot, and the page grows for nothing.
inline constexpr std::size_t kKernelsCharted = 200;
inline constexpr std::size_t kTransfersCharted = 200;

std::string chart_data(const analysis::Report& report);

}  // namespace coalescope::html
