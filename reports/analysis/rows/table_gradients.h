#pragma once
// Gradients of tables of which a step looks up a few rows: PyTorch fills an array of the table's size with
// zeros, stores the gradients of those rows, and the optimiser reads all of it and changes the whole table.

#include <span>
#include <vector>

#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct TableGradientsInput {
  std::span<const KernelRow> kernels;
  std::span<const CallSiteRow> call_sites;
  std::span<const model::GroupPointer> pointers;
};

// Told by PyTorch's names for kernels that store gradients of rows, and by the allocations that their
// pointers lead to: a kernel fills the same one, and kernels of the optimiser have pointers to others of its
// size. Where only a part of the gradients was measured nothing is said.
[[nodiscard]] std::vector<TableGradientsRow> table_gradients(const TableGradientsInput& input);

}  // namespace coalescope::analysis
