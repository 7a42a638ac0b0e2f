#pragma once
// What a run comes to, in a few plain sentences: the same in all formats.

#include <optional>
#include <string>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct RunVerdict {
  std::string text;      // "3 repairs would save about 99 ms of 306 ms of GPU time (32.4 %); ..."
  std::string coverage;  // how much of the kernels' time was measured; "" where there is none
  std::optional<std::string> command;  // measures what is missing, where much is
};
[[nodiscard]] RunVerdict verdict_of(const Report& report);

// "coalesce the loads of transpose": what to do, as it follows after "to".
[[nodiscard]] std::string repair_phrase(const Finding& finding);

// "train.py:31": the author's line that leads to a library's kernel or a transfer, else the kernel's own
// line;
// "" where none is known.
[[nodiscard]] std::string place_to_change(const Finding& finding);

}  // namespace coalescope::analysis
