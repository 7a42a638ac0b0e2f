#pragma once
// The parts of the long report that are sentences.

#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::text {

[[nodiscard]] std::vector<std::string> findings(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> unmeasured(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> not_judged(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> full_names(const analysis::Report& report, std::size_t width);
[[nodiscard]] std::vector<std::string> diagnostics(const analysis::Report& report, std::size_t width);

}  // namespace coalescope::text
