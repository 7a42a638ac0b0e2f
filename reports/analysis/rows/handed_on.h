#pragma once
// Two kernels of the author's that follow each other on a stream, where the second one alone reads what the
// first one stores, each thread its own elements or those of a neighbour, too: one kernel could keep it in
// registers. Told by the addresses that their first launches were given, and by the pointer from which the
// code of each access computes its address.

#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct HandedOnInput {
  std::span<const KernelRow> kernels;
  std::span<const capture::GroupView> groups;
  const capture::LaunchPlaces& launches;
  std::span<const capture::TransferPlace> copies;
  std::span<const model::GroupPointer> pointers;
  std::span<const capture::InstructionView> instructions;
};

// Those that ran most often come first.
[[nodiscard]] std::vector<HandedOnRow> handed_on(const HandedOnInput& input);

}  // namespace coalescope::analysis
