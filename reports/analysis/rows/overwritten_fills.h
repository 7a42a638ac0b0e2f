#pragma once
// Fills of memory that the next kernel with a pointer to it overwrites without loading any of it: memory
// sets, kernels that only store to one array, and copies from the host. Told by the order of launches on a
// stream, by the addresses that sets and first launches of kernels were given, and by the pointer from which
// the code of each access computes its address.

#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct FillInput {
  std::span<const KernelRow> kernels;
  std::span<const TransferRow> transfers;
  std::span<const capture::GroupView> groups;
  const capture::LaunchPlaces& launches;
  std::span<const capture::TransferPlace> copies;
  std::span<const model::GroupPointer> pointers;
  std::span<const capture::InstructionView> instructions;
};

// Most time first.
[[nodiscard]] std::vector<OverwrittenFillRow> overwritten_fills(const FillInput& input);

// Moves what is about copies from the host from `rows` to the calls that made them: SiteUse::overwritten.
void take_overwritten_uploads(std::vector<OverwrittenFillRow>& rows, std::span<TransferRow> transfers);

}  // namespace coalescope::analysis
