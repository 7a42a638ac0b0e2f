#pragma once
// Conversions by PyTorch's autocast: in a model that is not trained they make the same values from the same
// weights in each call.

#include <span>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Told by the function that asks for them: PyTorch's own modules convert nothing unless autocast does.
// Nothing is said of a process that computes gradients, whose weights change.
[[nodiscard]] std::vector<AutocastRow> autocasts(std::span<const KernelRow> kernels,
                                                 std::span<const CallSiteRow> call_sites);

}  // namespace coalescope::analysis
