#pragma once
// The columns of the table of kernels over their shapes.

#include <span>

#include "reports/analysis/report.h"
#include "reports/html/table.h"

namespace coalescope::html {

std::span<const Column<analysis::KernelFamily>> family_columns();

}  // namespace coalescope::html
