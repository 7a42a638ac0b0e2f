#pragma once
// Launches and copies of a recording in the order of time.

#include <cstdint>
#include <span>
#include <vector>

#include "core/capture/views.h"

namespace coalescope::analysis {

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
