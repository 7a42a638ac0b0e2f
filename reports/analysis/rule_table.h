#pragma once
// The rules by what they judge.

#include <span>

#include "reports/analysis/rule.h"

namespace coalescope::analysis {

[[nodiscard]] std::span<const Rule<KernelRow>* const> kernel_rules();
[[nodiscard]] std::span<const Rule<TransferRow>* const> transfer_rules();

}  // namespace coalescope::analysis
