#pragma once
// Whether what a kernel of XLA's reads apart, or with strides, was given to the compiled function: such an
// array lies as the program has laid it out. The layout of all else is XLA's choice.

#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Sets KernelRow::reads_given_apart: no kernel that comes again stores to any of these arrays, as far as the
// code of each tells, by the addresses that their first launches were given.
void mark_given_arrays(std::vector<KernelRow>& kernels, std::span<const model::GroupPointer> pointers,
                       std::span<const capture::InstructionView> instructions);

}  // namespace coalescope::analysis
