#pragma once
// Copies of whole arrays within a device that the author asks for: kernels of PyTorch's and CuPy's that copy,
// and the driver's copies. What XLA copies is its own choice.

#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct ArrayCopiesInput {
  std::span<const KernelRow> kernels;
  std::span<const TransferRow> transfers;
  std::span<const CallSiteRow> call_sites;
  std::span<const DeviceRow> devices;
  std::span<const capture::TransferPlace> copies;
  std::span<const model::GroupPointer> pointers;
  std::span<const capture::InstructionView> instructions;
};

// A row for each function of the author's. Copies that other code makes for him, such as autocast, a backward
// pass or a layer, are in none, nor are the driver's copies that restore what nobody changes. Most time
// first.
[[nodiscard]] std::vector<ArrayCopiesRow> array_copies(const ArrayCopiesInput& input);

}  // namespace coalescope::analysis
