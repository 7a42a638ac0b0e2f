#pragma once
// What launches lose whose blocks leave half of the multiprocessors or more without work.

#include "reports/analysis/rules/assessment.h"
#include "reports/analysis/rules/subjects.h"

namespace coalescope::analysis {

inline constexpr double kIdleMultiprocessors = 0.5;

// The share of the multiprocessors that get no block of a launch; 0 where too few are idle, other kernels run
// beside it, or its work cannot be divided among more blocks.
[[nodiscard]] Measure idle_multiprocessors(const KernelSubject& kernel);

// Against as many blocks as its loops can be divided among.
[[nodiscard]] Cost few_blocks_cost(const KernelSubject& kernel);

}  // namespace coalescope::analysis
