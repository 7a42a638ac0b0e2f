#pragma once
// Reports for the tests of findings: rows as the analysis makes them, and the whole judgement of them.

#include <utility>
#include <vector>

#include "reports/analysis/judge/findings.h"
#include "reports/analysis/rows/sample_rows_test.h"

namespace coalescope::analysis::test {

inline Machines one_h100() {
  return {{1, h100()}};
}

inline std::vector<Finding> findings_of(const Report& report, const Machines& machines) {
  return judge(report, machines).findings;
}

inline Report report_of(std::vector<KernelRow> kernels, std::vector<TransferRow> transfers = {}) {
  Report report;
  for (auto& row : kernels) {
    row.id = static_cast<std::int64_t>(report.kernels.size()) + 1;
    report.totals.kernel_ns += row.gpu_ns.value_or(0);
    report.kernels.push_back(std::move(row));
  }
  for (auto& row : transfers) report.totals.transfer_ns += row.gpu_ns.value_or(0);
  report.transfers = std::move(transfers);
  return report;
}

inline KernelRow clean_copy(std::int64_t gpu_ns = 61'600) {
  const Access both = access(524'288, 128, 4);
  return kernel(both, both, 134'217'728, gpu_ns);
}

}  // namespace coalescope::analysis::test
