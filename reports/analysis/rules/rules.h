#pragma once
// Every rule there is, by what it judges and in the order in which they are listed; rules that share an id
// (loads and stores) stand together.

#include <array>
#include <string_view>
#include <vector>

#include "reports/analysis/rules/rule.h"

namespace coalescope::analysis {

extern const Rule<KernelSubject> kFewBlocks, kFewWarps;
extern const Rule<KernelSubject> kUncoalescedLoads;
extern const Rule<KernelSubject> kUncoalescedStores;
extern const Rule<KernelSubject> kBroadcastLoads;
extern const Rule<KernelSubject> kPartialWarps;
extern const Rule<KernelSubject> kNarrowElements;
extern const Rule<KernelSubject> kScatteredReads;
extern const Rule<KernelSubject> kBankConflicts;
extern const Rule<KernelSubject> kStagingThroughRegisters;
extern const Rule<KernelSubject> kConstantAddresses;
extern const Rule<KernelSubject> kLocalMemory;
extern const Rule<KernelSubject> kContendedAtomics;
extern const Rule<KernelSubject> kRepeatedAtomics;
extern const Rule<KernelSubject> kReturningAtomics;
extern const Rule<KernelSubject> kRereads;
extern const Rule<KernelSubject> kZeroCopy;
extern const Rule<KernelSubject> kLayoutConversions;
extern const Rule<ChainSubject> kOperationsInARow;
extern const Rule<ReadAgainSubject> kReadAgain;
extern const Rule<ReadByEachSubject> kReadByEach;
extern const Rule<HandedOnSubject> kHandedOn;
extern const Rule<FillSubject> kOverwrittenFills;
extern const Rule<ZeroedGradientsSubject> kZeroedGradients;
extern const Rule<TableGradientsSubject> kTableGradients;
extern const Rule<AutocastSubject> kAutocasts;
extern const Rule<ArrayCopiesSubject> kArrayCopies;
extern const Rule<ArrayCopiesSubject> kUnreadOriginals;
extern const Rule<L2WindowSubject> kL2WindowOverSetAside;
extern const Rule<L2WindowSubject> kL2WindowLeftOn;
extern const Rule<L2WindowSubject> kL2WindowsTogether;
extern const Rule<TransferSubject> kPageableCopies;
extern const Rule<TransferSubject> kSmallCopies;
extern const Rule<TransferSubject> kSmallSets;
extern const Rule<TransferSubject> kPeerCopies;
extern const Rule<TransferSubject> kCopiesToChange;
extern const Rule<UploadSubject> kOverwrittenUploads;
extern const Rule<UploadSubject> kRepeatedUploads;
extern const Rule<AllocationSubject> kPinnedAgain, kAllocatedAgain;
extern const Rule<TimelineSubject> kIdleBesideCopies;
extern const Rule<TimelineSubject> kCopyAndComputeInTurn;
extern const Rule<TimelineSubject> kRoundTrip;
extern const Rule<TimelineSubject> kLaunchGaps;
extern const Rule<TimelineSubject> kPlainWaits;
extern const Rule<ManagedSubject> kManagedFaults;
extern const Rule<ManagedSubject> kManagedPingPong;

inline constexpr std::array kKernelRules{&kFewBlocks,         &kFewWarps,
                                         &kUncoalescedLoads,  &kUncoalescedStores,
                                         &kBroadcastLoads,    &kPartialWarps,
                                         &kNarrowElements,    &kScatteredReads,
                                         &kBankConflicts,     &kStagingThroughRegisters,
                                         &kConstantAddresses, &kLocalMemory,
                                         &kContendedAtomics,  &kRepeatedAtomics,
                                         &kReturningAtomics,  &kZeroCopy,
                                         &kLayoutConversions, &kRereads};
// Advice of F01, and what it becomes for operations that compute gradients, or are an optimiser's.
inline constexpr std::string_view kCompileAdvice = "F01.compile", kAttentionAdvice = "F01.attention",
                                  kCompileForwardAdvice = "F01.compile_forward",
                                  kFusedOptimiserAdvice = "F01.fused_optimiser";
// Advice about L2 windows that the page shows as code.
inline constexpr std::string_view kTuneHitRatioAdvice = "R01.tune_hit_ratio",
                                  kGiveBackAdvice = "R02.give_back",
                                  kShareSetAsideAdvice = "R03.share_set_aside",
                                  kWorkInBlocksAdvice = "R04.work_in_blocks";

inline constexpr std::array kChainRules{&kOperationsInARow};
inline constexpr std::array kReadAgainRules{&kReadAgain};
inline constexpr std::array kReadByEachRules{&kReadByEach};
inline constexpr std::array kHandedOnRules{&kHandedOn};
inline constexpr std::array kFillRules{&kOverwrittenFills};
inline constexpr std::array kGradientRules{&kZeroedGradients};
inline constexpr std::array kTableRules{&kTableGradients};
inline constexpr std::array kAutocastRules{&kAutocasts};
inline constexpr std::array kArrayCopyRules{&kArrayCopies, &kUnreadOriginals};
inline constexpr std::array kL2WindowRules{&kL2WindowOverSetAside, &kL2WindowLeftOn, &kL2WindowsTogether};
inline constexpr std::array kTransferRules{&kPageableCopies, &kSmallCopies, &kSmallSets, &kPeerCopies,
                                           &kCopiesToChange};
inline constexpr std::array kUploadRules{&kOverwrittenUploads, &kRepeatedUploads};
inline constexpr std::array kAllocationRules{&kPinnedAgain, &kAllocatedAgain};
inline constexpr std::array kTimelineRules{&kIdleBesideCopies, &kCopyAndComputeInTurn, &kRoundTrip,
                                           &kLaunchGaps, &kPlainWaits};
inline constexpr std::array kManagedRules{&kManagedFaults, &kManagedPingPong};

// All of them as people are told of them.
[[nodiscard]] std::vector<const RuleAbout*> rule_catalogue();

// The rule that made it; where parts are put together (loads and stores) the first of them. One that nothing
// is said of, where a test made the finding.
[[nodiscard]] const RuleAbout& about_rule(const Finding& finding);

}  // namespace coalescope::analysis
