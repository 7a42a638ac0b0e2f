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
  std::vector<const analysis::Finding*> findings;  // the costliest first; never empty
  std::optional<std::int64_t> lost_ns;             // of all of them; nullopt: of none is it known
  std::optional<double> lost_share;
  std::set<std::int64_t> processes;  // of those that launched the kernel: where something was found
};

// The most time lost first, those of unknown cost last, unless the reader chose an order. Points into the
// report.
[[nodiscard]] std::vector<Offender> offenders_of(const analysis::Report& report);

// "G01 Uncoalesced loads, uncoalesced stores".
[[nodiscard]] std::string titles_of(std::span<const analysis::Finding* const> findings);

}  // namespace coalescope::text
