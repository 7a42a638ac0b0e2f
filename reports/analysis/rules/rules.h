#pragma once
// Every rule there is; rule_table.cpp puts them in order.

#include "reports/analysis/rules/rule.h"

namespace coalescope::analysis {

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
extern const Rule<KernelSubject> kReturningAtomics;
extern const Rule<KernelSubject> kRereads;
extern const Rule<KernelSubject> kZeroCopy;
extern const Rule<KernelSubject> kLayoutConversions;
extern const Rule<L2WindowSubject> kL2WindowOverSetAside;
extern const Rule<L2WindowSubject> kL2WindowLeftOn;
extern const Rule<L2WindowSubject> kL2WindowsTogether;
extern const Rule<TransferSubject> kPageableCopies;
extern const Rule<TransferSubject> kSmallCopies;
extern const Rule<TransferSubject> kPeerCopies;
extern const Rule<TimelineSubject> kIdleBesideCopies;
extern const Rule<TimelineSubject> kCopyAndComputeInTurn;
extern const Rule<TimelineSubject> kRoundTrip;
extern const Rule<ManagedSubject> kManagedFaults;
extern const Rule<ManagedSubject> kManagedPingPong;

}  // namespace coalescope::analysis
