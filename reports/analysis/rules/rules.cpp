#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {

std::vector<const RuleAbout*> rule_catalogue() {
  std::vector<const RuleAbout*> all;
  const auto add = [&](const auto& rules) {
    for (const auto* rule : rules) all.push_back(&rule->about);
  };
  add(kKernelRules);
  add(kReadByEachRules);  // behind the other rule of the same id
  add(kChainRules);
  add(kReadAgainRules);
  add(kHandedOnRules);
  add(kFillRules);
  add(kGradientRules);
  add(kTableRules);
  add(kAutocastRules);
  add(kL2WindowRules);
  add(kTransferRules);
  add(kArrayCopyRules);  // behind the other rule of the same id
  add(kUploadRules);
  add(kAllocationRules);
  add(kTimelineRules);
  add(kManagedRules);
  return all;
}

const RuleAbout& about_rule(const Finding& finding) {
  static constexpr RuleAbout kNone{};
  const RuleAbout* first = nullptr;
  for (const RuleAbout* about : rule_catalogue()) {
    if (about->id != finding.rule) continue;
    if (about->title == finding.title) return *about;
    if (first == nullptr) first = about;
  }
  return first == nullptr ? kNone : *first;
}

}  // namespace coalescope::analysis
