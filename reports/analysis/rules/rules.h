#pragma once
// Every rule there is; rule_table.cpp puts them in order.

#include "reports/analysis/rule.h"

namespace coalescope::analysis {

extern const Rule<KernelRow> kUncoalescedLoads;
extern const Rule<KernelRow> kUncoalescedStores;
extern const Rule<KernelRow> kBroadcastLoads;
extern const Rule<KernelRow> kZeroCopyReads;
extern const Rule<TransferRow> kPageableCopies;
extern const Rule<TransferRow> kSmallCopies;

}  // namespace coalescope::analysis
