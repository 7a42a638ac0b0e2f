#pragma once
// What the surplus sectors of one operation of a kernel cost: G01 and G05.

#include "reports/analysis/rules/gain.h"

namespace coalescope::analysis {

// What the repair does besides making accesses contiguous.
struct Rearrangement {
  bool gives_runs_to_warps = false;  // where each thread went along a run of elements
  double elements_a_thread = 1;      // that a thread moves where it moved one
};

[[nodiscard]] Cost surplus_cost(const KernelRow& kernel, Operation operation, const Machine& machine,
                                const Rearrangement& rearrangement = {});

// Bytes that a launch may have read from DRAM for nothing but the surplus of its loads.
[[nodiscard]] double surplus_dram_reads(const KernelRow& kernel, const ChipConstants& chip);

}  // namespace coalescope::analysis
