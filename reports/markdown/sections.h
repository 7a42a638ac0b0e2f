#pragma once
// The parts of the Markdown report, in their order. A part with nothing to say is empty.

#include <string>

#include "reports/analysis/report.h"

namespace coalescope::markdown {

[[nodiscard]] std::string header(const analysis::Report& report);
[[nodiscard]] std::string findings(const analysis::Report& report);
[[nodiscard]] std::string not_judged(const analysis::Report& report);
[[nodiscard]] std::string kernels(const analysis::Report& report);
[[nodiscard]] std::string source_lines(const analysis::Report& report);
[[nodiscard]] std::string transfers(const analysis::Report& report);
[[nodiscard]] std::string full_names(const analysis::Report& report);

}  // namespace coalescope::markdown
