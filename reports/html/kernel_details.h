#pragma once
// What stands behind a row of the table of kernels: its findings, shapes, lines, calls and memory.

#include <string>
#include <unordered_map>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rows/process_names.h"
#include "reports/html/kernel_columns.h"

namespace coalescope::html {

class KernelDetails {
 public:
  // Points into the report.
  explicit KernelDetails(const analysis::Report& report);

  [[nodiscard]] std::vector<DataPart> parts(const KernelEntry& entry) const;

 private:
  [[nodiscard]] std::string process_name(const KernelEntry& entry, const analysis::KernelRow& row) const;
  [[nodiscard]] std::string shape_name(const KernelEntry& entry, const analysis::KernelRow& row) const;
  [[nodiscard]] DataPart shapes(const KernelEntry& entry) const;
  [[nodiscard]] DataPart figures(const KernelEntry& entry, const analysis::KernelRow& row) const;
  [[nodiscard]] DataPart lines(const KernelEntry& entry) const;
  [[nodiscard]] DataPart calls(const KernelEntry& entry) const;
  [[nodiscard]] DataPart memory(const KernelEntry& entry) const;
  [[nodiscard]] DataPart missing(const KernelEntry& entry) const;

  const analysis::Report& report_;
  analysis::CallStacks stacks_;
  analysis::NamesOfProcesses processes_;
  std::unordered_map<std::int64_t, std::vector<const analysis::LineRow*>> lines_;
  std::unordered_map<std::int64_t, std::vector<const analysis::PointerRow*>> pointers_;
};

}  // namespace coalescope::html
