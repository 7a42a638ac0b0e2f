#include "reports/analysis/view/silent_rules.h"

#include <algorithm>

namespace coalescope::analysis {

std::vector<SilentRules> silent_rules(const Report& report) {
  std::vector<SilentRules> list;
  for (const NotJudged& row : report.not_judged) {
    auto same = std::ranges::find_if(
        list, [&](const SilentRules& each) { return each.why == row.why && each.subject == row.subject; });
    if (same == list.end()) same = list.insert(list.end(), {{}, row.why, row.subject, row.subjects});
    // Parts of a rule have one id.
    if (std::ranges::find(same->rules, row.rule) == same->rules.end()) same->rules.push_back(row.rule);
  }
  return list;
}

}  // namespace coalescope::analysis
