#pragma once
// Kernels of PyTorch's and CuPy's that compute nothing: they store the elements that they load.

#include "reports/analysis/report.h"

namespace coalescope::analysis {

[[nodiscard]] bool copies_elements(const KernelRow& row);
// Such kernels that store another type than they load.
[[nodiscard]] bool converts_type(const KernelRow& row);

}  // namespace coalescope::analysis
