#pragma once
// A capture as a Report that is to be compared or judged, not shown: without source text and view.

#include <string>

#include "core/base/error.h"
#include "reports/analysis/report.h"

namespace coalescope::tool {

[[nodiscard]] base::Result<analysis::Report> report_of(const std::string& capture,
                                                       const analysis::CodeOwnership& ownership);

}  // namespace coalescope::tool
