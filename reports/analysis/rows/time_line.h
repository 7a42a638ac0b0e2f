#pragma once
// The listed launches, copies, waits and ranges of a capture as a time line.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/capture/views.h"
#include "core/model/activity.h"
#include "core/model/launch.h"
#include "core/model/run.h"
#include "reports/analysis/rows/spans.h"
#include "reports/analysis/time_line.h"

namespace coalescope::analysis {

// As many as the widest screens have pixels for half of them; a page of a long run still stays small.
inline constexpr std::int64_t kTimeBins = 2048;
inline constexpr std::size_t kRangesListed = 1000;

struct TimeLineInput {
  std::span<const model::Process> processes;  // those of later runs are left out
  std::span<const capture::GroupView> groups;
  std::span<const capture::LaunchPlace> launches;  // by the groups' places
  std::span<const capture::LaunchPlace> measured;  // those without a time of their own
  std::span<const capture::TransferPlace> transfers;
  std::span<const model::PhaseWindow> windows;  // of measuring: the process lived then
  std::span<const model::TraceGap> gaps;
  std::span<const model::Synchronization> waits;
  std::span<const model::Range> ranges;
  std::span<const model::RangeName> range_names;
};

[[nodiscard]] TimeLine time_line_of(const TimeLineInput& input);

// When the GPUs of a process worked, or may have. United.
struct OccupiedTimes {
  std::vector<TimeSpan> all;
  std::vector<TimeSpan> unknown;  // of them: nothing was listed, or launches were measured
};
using OccupiedByProcess = std::map<std::int64_t, OccupiedTimes>;
[[nodiscard]] OccupiedByProcess occupied_times(const TimeLineInput& input);

}  // namespace coalescope::analysis
