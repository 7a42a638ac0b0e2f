#pragma once
// Element-wise operations that a library runs one after the other, told by the order of launches on a stream.
// Where the first launches of two kernels follow each other, the addresses that they were given say whether
// the second loads the result of the first, or an operand of both; elsewhere it only has to load as many
// bytes as were written.

#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct ChainInput {
  std::span<const KernelRow> kernels;
  std::span<const capture::GroupView> groups;
  const capture::LaunchPlaces& launches;
  std::span<const capture::TransferPlace> copies;
  std::span<const model::GroupPointer> pointers;
};

// Anything else on the stream ends a chain, and so does a launch that was measured. Those that ran most often
// come first.
[[nodiscard]] std::vector<OperationChainRow> operation_chains(const ChainInput& input);

}  // namespace coalescope::analysis
