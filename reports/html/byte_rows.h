#pragma once
// Kernels' bytes from the request to DRAM, with their bandwidth beside what the GPU can do: as a part behind
// a row, and as a section for the run.

#include <span>

#include "reports/analysis/report.h"
#include "reports/html/data_table.h"

namespace coalescope::html {

// Over all shapes and launches; a part without rows where nothing was measured.
DataPart byte_levels_part(std::span<const analysis::KernelRow* const> shapes, const analysis::Report& report);

Html share_bar(double share, BarPlace place);

}  // namespace coalescope::html
