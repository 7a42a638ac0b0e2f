#pragma once
// Host memory that kernels work in without a copy: zero-copy memory and managed memory, what they moved and
// when.

#include "reports/analysis/report.h"
#include "reports/html/markup.h"

namespace coalescope::html {

// Empty: no kernel did.
Html host_memory_tables(const analysis::Report& report);

}  // namespace coalescope::html
