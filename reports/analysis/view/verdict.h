#pragma once
// What a run comes to, in a few plain sentences: the same in all formats. What would be saved is never more
// than what was spent: of several findings about one kernel or transfer only the one that is listed first
// counts.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct RunVerdict {
  std::string text;      // "3 repairs would save about 99 ms of 306 ms of GPU time (32.4 %); ..."
  std::string coverage;  // how much of the kernels' time was measured; "" where there is none
  std::optional<std::string> command;  // measures what is missing, where much is
};
[[nodiscard]] RunVerdict verdict_of(const Report& report);

// Findings with a price, the largest first, such that no kernel and no class of transfers counts twice.
struct Savings {
  std::vector<const Finding*> repairs;  // of GPU time
  std::int64_t gpu_ns = 0;              // of all of them
  std::vector<const Finding*> waits;    // of the host or the GPU for each other: no GPU time
  std::int64_t wait_ns = 0;
};
// Points into the report.
[[nodiscard]] Savings savings_of(const Report& report);
// The findings that these consist of: what is added up counts no time twice.
[[nodiscard]] std::unordered_set<const Finding*> counted_findings(const Report& report);

// "coalesce the loads of transpose": what to do, as it follows after "to".
[[nodiscard]] std::string repair_phrase(const Finding& finding);

// "train.py:31": the author's line that leads to a library's kernel or a transfer, else the kernel's own
// line;
// "" where none is known.
[[nodiscard]] std::string place_to_change(const Finding& finding);

}  // namespace coalescope::analysis
