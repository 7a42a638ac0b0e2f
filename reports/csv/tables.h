#pragma once
// The columns of each table, in their order.

#include <unordered_map>

#include "reports/analysis/report.h"
#include "reports/csv/record.h"

namespace coalescope::csv {

using Kernels = std::unordered_map<std::int64_t, const analysis::KernelRow*>;

// `kernels` gives the whole name of the kernel that a row belongs to.
void describe(Record& record, const analysis::Finding& row, const Kernels& kernels);
void describe(Record& record, const analysis::KernelRow& row, const Kernels& kernels);
void describe(Record& record, const analysis::LineRow& row, const Kernels& kernels);
void describe(Record& record, const analysis::TransferRow& row, const Kernels& kernels);
void describe(Record& record, const analysis::CallSiteRow& row, const Kernels& kernels);

}  // namespace coalescope::csv
