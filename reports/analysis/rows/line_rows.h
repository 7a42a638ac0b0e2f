#pragma once
// Memory instructions summed by the source line that they came from.

#include <span>
#include <vector>

#include "core/capture/views.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Keyed by (kernel group, file, line), never by the line alone; code without line information by its place in
// the function. Counts are a launch's. Most surplus sectors first. `pointers` tell which memory the
// parameters lead to.
[[nodiscard]] std::vector<LineRow> line_rows(std::span<const capture::InstructionView> instructions,
                                             std::span<const KernelRow> kernels,
                                             std::span<const model::GroupPointer> pointers = {});

// Names each kernel's worst line in its row.
void name_worst_lines(std::vector<KernelRow>& kernels, std::span<const LineRow> lines);

}  // namespace coalescope::analysis
