#pragma once
// How far launches of one kernel group differ in what they do. One launch in phase bytes tells nothing of it;
// L1's sectors of phase hits count the same in other launches, and instructions tell of accesses that L1 does
// not count.

#include <optional>

#include "core/capture/views.h"

namespace coalescope::analysis {

// The greatest number of sectors of loads, of sectors of stores or of instructions over the least, less 1; of
// several the largest. nullopt: none of these was measured for two launches.
[[nodiscard]] std::optional<double> launch_spread(const capture::GroupReadings& readings);

}  // namespace coalescope::analysis
