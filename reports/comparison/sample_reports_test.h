#pragma once
// Reports for the tests of the comparison: kernels of the author's, measured in full.

#include <string>

#include "reports/analysis/report.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/rows/sample_rows_test.h"

namespace coalescope::comparison::test {

inline constexpr std::int64_t kGpuNs = 1'000'000;

// out[8 * i] = in[8 * i], launched ten times.
inline analysis::KernelRow strided(std::int64_t id, const std::string& declaration) {
  analysis::KernelRow row = analysis::test::strided_copy(8, kGpuNs);
  row.id = id;
  row.name = row.full_name = row.mangled_name = declaration;
  row.grid = {8192, 1, 1};
  row.block = {256, 1, 1};
  row.launches = row.timed_launches = 10;
  row.gpu_ns = 10 * kGpuNs;
  row.bytes_samples = {1, 10};
  row.launch_spread = 0;
  return row;
}

inline analysis::Report report_of(std::vector<analysis::KernelRow> kernels) {
  analysis::Report report;
  report.command = {"./app"};
  report.capture.clean = true;
  report.kernels = std::move(kernels);
  for (const auto& row : report.kernels) report.totals.kernel_ns += row.gpu_ns.value_or(0);
  const auto run = static_cast<double>(report.totals.kernel_ns);
  for (auto& row : report.kernels) row.share = static_cast<double>(row.gpu_ns.value_or(0)) / run;
  report.kernel_families = analysis::kernel_families(report.kernels);
  for (auto& family : report.kernel_families)
    family.share = static_cast<double>(family.gpu_ns.value_or(0)) / run;
  return report;
}

// As if the kernel read and touched so many times what it did.
inline void load_more(analysis::KernelRow& row, double times) {
  const auto more = [&](std::optional<std::int64_t>& count) {
    count = static_cast<std::int64_t>(static_cast<double>(*count) * times);
  };
  more(row.load.data_bytes);
  more(row.load.sectors);
  more(row.load.requests);
}

}  // namespace coalescope::comparison::test
