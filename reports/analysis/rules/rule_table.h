#pragma once
// The rules by what they judge, and all of them as people are told of them.

#include <span>
#include <vector>

#include "reports/analysis/rules/rule.h"

namespace coalescope::analysis {

[[nodiscard]] std::span<const Rule<KernelSubject>* const> kernel_rules();
[[nodiscard]] std::span<const Rule<TransferSubject>* const> transfer_rules();
[[nodiscard]] std::span<const Rule<TimelineSubject>* const> timeline_rules();
[[nodiscard]] std::span<const Rule<L2WindowSubject>* const> l2_window_rules();
[[nodiscard]] std::span<const Rule<ManagedSubject>* const> managed_rules();

// In the order in which they are listed; rules that share an id (loads and stores) stand together.
[[nodiscard]] std::vector<const RuleAbout*> rule_catalogue();

}  // namespace coalescope::analysis
