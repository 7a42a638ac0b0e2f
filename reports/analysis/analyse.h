#pragma once
// From a capture to the report of it: the one way in for everything that shows or judges a capture.

#include <string>

#include "core/base/error.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

[[nodiscard]] base::Result<Report> analyse(const std::string& capture_path);

}  // namespace coalescope::analysis
