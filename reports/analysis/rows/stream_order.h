#pragma once
// Launches and copies of a recording in the order of time.

#include <cstdint>
#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/kernels.h"

namespace coalescope::analysis {

// What is known of the kernels of a recording and of the order in which they were launched.
struct LaunchedKernels {
  std::span<const KernelRow> kernels;
  std::span<const capture::GroupView> groups;
  const capture::LaunchPlaces& launches;
  std::span<const capture::TransferPlace> copies;
  std::span<const model::GroupPointer> pointers;
  std::span<const capture::InstructionView> instructions;
  std::span<const model::ParameterValues> values = {};
};

// A launch or a copy, and where it stands in its list.
struct StreamEvent {
  enum class Kind : std::uint8_t { launch, measured, copy };
  std::int64_t start_ns = 0;
  std::uint32_t place = 0;  // in LaunchPlaces::launches, LaunchPlaces::measured, or the copies
  Kind kind = Kind::launch;
};

[[nodiscard]] std::vector<StreamEvent> in_order(const capture::LaunchPlaces& launches,
                                                std::span<const capture::TransferPlace> copies);

}  // namespace coalescope::analysis
