#pragma once
// How far launches of one kernel group differ in what their accesses touch. One launch in phase bytes tells
// nothing of it; L1's sectors of phase traffic count the same in other launches.

#include <optional>

#include "core/capture/views.h"

namespace coalescope::analysis {

// The greatest number of sectors of loads, or of stores, over the least, less 1; of several the largest.
// nullopt: fewer than two launches were measured, or they have no such accesses.
[[nodiscard]] std::optional<double> sector_spread(const capture::GroupReadings& readings);

}  // namespace coalescope::analysis
