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

// "rank 1, device 2"; where one process ran on one device only "device 1".
std::string device_name(const analysis::Report& report, std::int64_t process_id, std::int64_t device_id);

// "device", "device 2: managed".
std::string memory_name(const analysis::MemoryCourse& course);

}  // namespace coalescope::html
