#pragma once
// The report for a terminal: one screen that a stranger understands, or every table.

#include <optional>
#include <string>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/analysis/view/sums.h"

namespace coalescope::text {

inline constexpr int kLeastWidth = 72, kMostWidth = 160;  // beyond that the eye loses the row

struct TextOptions {
  int width = 100;                          // columns; 72 to 160 are used
  int height = 40;                          // lines of the one-screen report; at least 24 are taken
  bool verbose = false;                     // every table, as long as it takes
  bool colour = false;                      // emphasis by escape sequences
  std::optional<analysis::SumBy> by = {};   // times added up by this instead
  std::optional<std::string> section = {};  // one of section_names() instead, whole
};

// The parts of the verbose report: "findings", "kernels", "lines" ...
[[nodiscard]] const std::vector<std::string>& section_names();

[[nodiscard]] std::string to_text(const analysis::Report& report, const TextOptions& options);

}  // namespace coalescope::text
