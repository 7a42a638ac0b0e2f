#pragma once
// Kernels of the author's that follow each other on a stream and read the same arrays, none of which works on
// what another one stores: one kernel could do the work of all. Told by the addresses that their first
// launches were given, and by the pointer from which the code of each access computes its address.

#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct ReadAgainInput {
  std::span<const KernelRow> kernels;
  std::span<const capture::GroupView> groups;
  const capture::LaunchPlaces& launches;
  std::span<const capture::TransferPlace> copies;
  std::span<const model::GroupPointer> pointers;
  std::span<const capture::InstructionView> instructions;
};

// Copies and all other launches end such a row. Those that ran most often come first.
[[nodiscard]] std::vector<ReadAgainRow> read_again(const ReadAgainInput& input);

}  // namespace coalescope::analysis
