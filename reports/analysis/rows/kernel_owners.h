#pragma once
// Whose code each kernel is, with what the capture tells of its files (figures/kernel_origin.h).

#include <span>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Of a kernel's files the first one counts that is in no package of Python: what a library's functions bring
// along does not make the kernel the library's. Shapes without lines of their own are those of the kernel.
void name_owners(std::vector<KernelRow>& kernels, std::span<const LineRow> lines);

}  // namespace coalescope::analysis
