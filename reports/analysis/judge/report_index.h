#pragma once
// Rows, machines and devices of a report by the ids that its subjects carry. It points into the report.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "reports/analysis/judge/findings.h"
#include "reports/analysis/rules/subjects.h"

namespace coalescope::analysis {

class ReportIndex {
 public:
  ReportIndex(const Report& report, const Machines& machines);

  [[nodiscard]] const Machine& machine(std::int64_t device_id) const;       // one of which nothing is known
  [[nodiscard]] const model::Device* device(std::int64_t device_id) const;  // nullptr: not listed
  [[nodiscard]] std::span<const LineRow* const> lines(std::int64_t kernel_id) const;
  [[nodiscard]] std::span<const PointerRow* const> pointers(std::int64_t kernel_id) const;
  [[nodiscard]] std::vector<const KernelRow*> kernels(
      const std::vector<std::int64_t>& ids) const;  // known ones
  // Whether a library converts tensors between NCHW and NHWC in that process.
  [[nodiscard]] bool converts_layouts(std::int64_t process_id) const;
  [[nodiscard]] std::vector<KernelUse> uses(const std::vector<KernelPart>& parts) const;

 private:
  const Machines& machines_;
  std::unordered_map<std::int64_t, std::vector<const LineRow*>> lines_;
  std::unordered_map<std::int64_t, std::vector<const PointerRow*>> pointers_;
  std::unordered_map<std::int64_t, const model::Device*> devices_;
  std::unordered_map<std::int64_t, const KernelRow*> kernels_;
  std::unordered_set<std::int64_t> converting_;  // processes
};

}  // namespace coalescope::analysis
