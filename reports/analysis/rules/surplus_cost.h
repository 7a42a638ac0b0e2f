#pragma once
// What the surplus sectors of one operation of a kernel cost: G01 and G05.

#include "reports/analysis/rules/gain.h"

namespace coalescope::analysis {

[[nodiscard]] Cost surplus_cost(const KernelRow& kernel, Operation operation, const Machine& machine);

}  // namespace coalescope::analysis
