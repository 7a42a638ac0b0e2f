#pragma once
// The columns of the table of kernels: one row for a function with its block size, over all shapes.

#include <functional>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/html/data_table.h"

namespace coalescope::html {

// A family with what other parts of the report say of it.
struct KernelEntry {
  const analysis::KernelFamily* family = nullptr;
  std::vector<const analysis::KernelRow*> shapes;  // most GPU time first
  std::vector<const analysis::Finding*> findings;  // most time lost first
  std::optional<std::int64_t> lost_ns;             // of the largest finding: others may count the same time
};

struct KernelColumn {
  DataHeading heading;
  std::function<DataCell(const KernelEntry&)> cell;
  std::string_view about_notes = {};  // what stands below its cells: added to `about` if a cell has a note
};
const std::vector<KernelColumn>& kernel_columns();

// The families that the report shows, in its order.
std::vector<KernelEntry> kernel_entries(const analysis::Report& report);

}  // namespace coalescope::html
