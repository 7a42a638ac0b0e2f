#pragma once
// The source around the lines that matter, of kernels and of the author's own calls, with heat, GPU time,
// wasted bytes and findings beside them.

#include "reports/analysis/report.h"
#include "reports/html/markup.h"

namespace coalescope::html {

struct SourceExcerpts {
  Html html;
  bool with_time = false, with_waste = false;  // a table has the column
};
SourceExcerpts source_excerpts(const analysis::Report& report);

}  // namespace coalescope::html
