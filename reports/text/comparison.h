#pragma once
// A comparison for a terminal: the verdict and a handful of rows, or everything.

#include <string>
#include <vector>

#include "reports/comparison/comparison.h"
#include "reports/comparison/tables.h"
#include "reports/text/text.h"

namespace coalescope::text {

// A verdict, what it is about, and its tables.
struct Answer {
  std::string verdict;
  std::vector<std::string> about;  // a sentence each
  std::vector<comparison::Table> tables;
};
[[nodiscard]] std::string to_text(const Answer& answer, const TextOptions& options);

[[nodiscard]] std::string to_text(const comparison::Comparison& comparison, const TextOptions& options);

}  // namespace coalescope::text
