#pragma once
// Of a function with many shapes the recorder measures some sizes, and each of them in some phases
// (`size_measured`). What all of its launches cost is judged with complete counts: a shape that lacks a phase
// gets the counts of the nearest size that has it, in proportion to the blocks. They are judged, not shown.

#include <span>
#include <unordered_set>
#include <vector>

#include "core/capture/views.h"
#include "core/model/launch.h"
#include "reports/analysis/rows/kernel_rows.h"

namespace coalescope::analysis {

// All empty where no shape lacks anything.
struct CompleteSizes {
  ReadingsByGroup readings;
  std::vector<capture::InstructionView> instructions;
  std::unordered_set<model::GroupId> groups;  // that got anything
};

[[nodiscard]] CompleteSizes complete_sizes(std::span<const capture::GroupView> groups,
                                           const ReadingsByGroup& readings,
                                           std::span<const capture::InstructionView> instructions,
                                           std::span<const model::Coverage> coverage);

}  // namespace coalescope::analysis
