#pragma once
// The tables of the long report. Each begins with its heading; one without rows has nothing but that.

#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::text {

// Kernels with several shapes or processes: the processes' imbalance; how much of the time each phase has
// measured; bytes of DRAM that were measured, and estimated for all shapes with the estimate's error.
[[nodiscard]] std::vector<std::string> kernel_shapes(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> kernel_times(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> kernel_accesses(const analysis::Report& report, std::size_t width);
// The degree at each level of memory.
[[nodiscard]] std::vector<std::string> kernel_levels(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> kernel_traits(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> kernel_traffic(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> source_lines(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> transfers(const analysis::Report& report, std::size_t width);
// What is known beside the columns of these tables.
[[nodiscard]] std::vector<std::string> kernel_rest(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> line_rest(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> transfer_rest(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> measuring(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> ceilings(const analysis::Report& report, std::size_t width);
// Only where there is more than one.
[[nodiscard]] std::vector<std::string> processes(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> calibration(const analysis::Report& report, std::size_t width);
// A line for each family with counts: how many were exact.
[[nodiscard]] std::vector<std::string> calibration_overview(const analysis::Report& report,
                                                            std::size_t width);

}  // namespace coalescope::text
