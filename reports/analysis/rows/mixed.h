#pragma once
// Whether the measured launches of a kernel group do different things, which nothing tells apart.

#include <optional>

#include "core/capture/views.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// nullopt: they do the same, or too few were measured to tell.
[[nodiscard]] std::optional<Mixed> mixed_of(const capture::GroupReadings& readings);
// Says so in place of the figures of L2 and DRAM. The row must be mixed.
void note_mixed(KernelRow& row);

}  // namespace coalescope::analysis
