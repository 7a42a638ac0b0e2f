#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {

std::vector<const RuleAbout*> rule_catalogue() {
  std::vector<const RuleAbout*> all;
  const auto add = [&](const auto& rules) {
    for (const auto* rule : rules) all.push_back(&rule->about);
  };
  add(kKernelRules);
  add(kChainRules);
  add(kFillRules);
  add(kL2WindowRules);
  add(kTransferRules);
  add(kUploadRules);
  add(kAllocationRules);
  add(kTimelineRules);
  add(kManagedRules);
  return all;
}

const RuleAbout* about_rule(std::string_view id, std::string_view title) {
  const RuleAbout* first = nullptr;
  for (const RuleAbout* about : rule_catalogue()) {
    if (about->id != id) continue;
    if (about->title == title) return about;
    if (first == nullptr) first = about;
  }
  return first;
}

}  // namespace coalescope::analysis
