#include "reports/analysis/rules/rule_table.h"

#include <array>

#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr std::array kKernelRules{
    &kUncoalescedLoads,  &kUncoalescedStores, &kBroadcastLoads,   &kPartialWarps,
    &kNarrowElements,    &kScatteredReads,    &kBankConflicts,    &kStagingThroughRegisters,
    &kConstantAddresses, &kLocalMemory,       &kContendedAtomics, &kReturningAtomics,
    &kRereads,           &kZeroCopy,          &kLayoutConversions};
constexpr std::array kL2WindowRules{&kL2WindowOverSetAside, &kL2WindowLeftOn, &kL2WindowsTogether};
constexpr std::array kTransferRules{&kPageableCopies, &kSmallCopies, &kPeerCopies};
constexpr std::array kTimelineRules{&kIdleBesideCopies, &kCopyAndComputeInTurn, &kRoundTrip};
constexpr std::array kManagedRules{&kManagedFaults, &kManagedPingPong};

}  // namespace

std::span<const Rule<KernelSubject>* const> kernel_rules() {
  return kKernelRules;
}

std::span<const Rule<TransferSubject>* const> transfer_rules() {
  return kTransferRules;
}

std::span<const Rule<TimelineSubject>* const> timeline_rules() {
  return kTimelineRules;
}

std::span<const Rule<L2WindowSubject>* const> l2_window_rules() {
  return kL2WindowRules;
}

std::span<const Rule<ManagedSubject>* const> managed_rules() {
  return kManagedRules;
}

std::vector<const RuleAbout*> rule_catalogue() {
  std::vector<const RuleAbout*> all;
  const auto add = [&](const auto& rules) {
    for (const auto* rule : rules) all.push_back(&rule->about);
  };
  add(kKernelRules);
  add(kL2WindowRules);
  add(kTransferRules);
  add(kTimelineRules);
  add(kManagedRules);
  return all;
}

}  // namespace coalescope::analysis
