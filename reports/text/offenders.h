#pragma once
// Findings gathered by their subject: a kernel with bad loads and bad stores, in several shapes or processes,
// is one offender.

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::text {

struct Offender {
  const analysis::KernelFamily* family = nullptr;  // nullptr: transfers
  std::vector<const analysis::Finding*> findings;  // as they are ranked; never empty
  // As the verdict counts them (analysis::savings_of): of findings about the same launches the first.
  std::optional<std::int64_t> lost_ns;  // nullopt: of none is it known
  std::optional<double> lost_share;     // of the run's GPU time; nullopt also for what saves none
  std::set<std::int64_t> processes;     // of those that launched the kernel: where something was found
};

// In the order of their first findings. Points into the report.
[[nodiscard]] std::vector<Offender> offenders_of(const analysis::Report& report);

// "G01 Uncoalesced loads, uncoalesced stores".
[[nodiscard]] std::string titles_of(std::span<const analysis::Finding* const> findings);

}  // namespace coalescope::text
