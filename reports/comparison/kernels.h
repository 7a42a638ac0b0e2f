#pragma once
// The kernels of both captures: what each moves per launch, judged shape by shape.

#include <vector>

#include "reports/analysis/report.h"
#include "reports/comparison/comparison.h"

namespace coalescope::comparison {

// Changed ones first, by the bytes that they move more or less; then by GPU time.
[[nodiscard]] std::vector<KernelChange> compare_kernels(const analysis::Report& before,
                                                        const analysis::Report& after);

}  // namespace coalescope::comparison
