#include "reports/analysis/rule_table.h"

#include <array>

#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr std::array kKernelRules{&kUncoalescedLoads, &kUncoalescedStores, &kBroadcastLoads, &kZeroCopyReads};
constexpr std::array kTransferRules{&kPageableCopies, &kSmallCopies};

}  // namespace

std::span<const Rule<KernelRow>* const> kernel_rules() {
  return kKernelRules;
}
std::span<const Rule<TransferRow>* const> transfer_rules() {
  return kTransferRules;
}

}  // namespace coalescope::analysis
