#pragma once
// The report as one page: a single file that loads nothing from anywhere, complete without script.

#include <string>

#include "reports/analysis/report.h"

namespace coalescope::html {

std::string to_html(const analysis::Report& report);

}  // namespace coalescope::html
