#pragma once
// Whose code each kernel is, with what the capture tells of its files (figures/kernel_origin.h).

#include <span>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// A kernel's own file is the first of its lines' that is in no package of Python: a kernel that inlines a
// library's functions is not the library's.
void name_owners(std::vector<KernelRow>& kernels, std::span<const LineRow> lines);

}  // namespace coalescope::analysis
