#pragma once
// The author's own lines that called CUDA, with the time of what they called: the call stacks by their
// innermost own frame.

#include <span>
#include <vector>

#include "reports/analysis/call_sites.h"

namespace coalescope::analysis {

// Most GPU time first. Each time counts for one line only: that of the innermost frame of the author's code.
[[nodiscard]] std::vector<CallLineRow> call_line_rows(std::span<const CallSiteRow> sites);

}  // namespace coalescope::analysis
