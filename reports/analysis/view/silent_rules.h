#pragma once
// Rules that could not judge, each reason once.

#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// The rules that one reason silences.
struct SilentRules {
  std::vector<std::string> rules;  // ids, in the order of the rules
  std::string why;
  std::string subject;        // the one with most GPU time
  std::int64_t subjects = 0;  // of the first of the rules
};
[[nodiscard]] std::vector<SilentRules> silent_rules(const Report& report);

}  // namespace coalescope::analysis
