#pragma once
// When times of a process tell nothing of it alone: launches were measured, or were not listed.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/launch.h"
#include "reports/analysis/rows/spans.h"

namespace coalescope::analysis {

// United, by process.
using DisturbedTimes = std::map<std::int64_t, std::vector<TimeSpan>>;

// `launches`: those that were measured.
[[nodiscard]] DisturbedTimes disturbed_times(std::span<const capture::GroupView> groups,
                                             std::span<const capture::LaunchPlace> launches,
                                             std::span<const model::PhaseWindow> windows,
                                             std::span<const model::TraceGap> gaps);

}  // namespace coalescope::analysis
