#pragma once
// The source around the lines that matter, of kernels and of the author's own calls, with heat, GPU time,
// wasted bytes and findings beside them.

#include "reports/analysis/report.h"
#include "reports/html/markup.h"

namespace coalescope::html {

Html source_excerpts(const analysis::Report& report);

}  // namespace coalescope::html
