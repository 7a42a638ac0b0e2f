#pragma once
// A capture as a Report that is to be compared or judged, not shown: without source text and view.

#include <functional>
#include <string>

#include "core/base/error.h"
#include "reports/analysis/report.h"

namespace coalescope::tool {

[[nodiscard]] base::Result<analysis::Report> report_of(const std::string& capture,
                                                       const analysis::CodeOwnership& ownership);

// What `work` returns; a status of its own where captures would take too much memory.
[[nodiscard]] int within_memory(const std::function<int()>& work);

}  // namespace coalescope::tool
