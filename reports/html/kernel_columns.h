#pragma once
// The columns of the kernels table.

#include <span>

#include "reports/analysis/report.h"
#include "reports/html/table.h"

namespace coalescope::html {

std::span<const Column<analysis::KernelRow>> kernel_columns();

}  // namespace coalescope::html
