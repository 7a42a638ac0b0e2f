#pragma once
// The columns of the table of kernels, and of that of kernels over all their shapes.

#include <vector>

#include "reports/analysis/report.h"
#include "reports/html/table.h"

namespace coalescope::html {

std::vector<Column<analysis::KernelRow>> kernel_columns();
std::vector<Column<analysis::KernelFamily>> family_columns();

}  // namespace coalescope::html
