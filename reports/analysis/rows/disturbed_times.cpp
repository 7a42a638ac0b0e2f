#include "reports/analysis/rows/disturbed_times.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace coalescope::analysis {
namespace {

// When the launches of each process were measured, in the order of time.
std::unordered_map<std::int64_t, std::vector<std::int64_t>> measured_of(
    std::span<const capture::GroupView> groups, std::span<const capture::LaunchPlace> launches) {
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> measured;
  for (const auto& launch : launches)
    measured[groups[static_cast<std::size_t>(launch.group)].process_id.value].push_back(launch.start_ns);
  for (auto& [process, times] : measured) std::ranges::sort(times);
  return measured;
}

// A window of the range profiler disturbs what runs in it only where it begins and ends, and where a launch
// is measured. Captures that do not tell these have windows that disturb all.
void add_window(const model::PhaseWindow& window, std::span<const std::int64_t> measured,
                std::vector<TimeSpan>& spans) {
  const auto first = std::ranges::lower_bound(measured, window.began_ns);
  const bool told = first != measured.end() && *first <= window.ended_ns;
  const bool one_launch = window.phase == model::Phase::lines || window.phase == model::Phase::replay;
  if (one_launch || !told) {
    spans.emplace_back(window.began_ns, window.ended_ns);
    return;
  }
  spans.emplace_back(window.began_ns, window.began_ns);
  spans.emplace_back(window.ended_ns, window.ended_ns);
}

}  // namespace

DisturbedTimes disturbed_times(std::span<const capture::GroupView> groups,
                               std::span<const capture::LaunchPlace> launches,
                               std::span<const model::PhaseWindow> windows,
                               std::span<const model::TraceGap> gaps) {
  const auto measured = measured_of(groups, launches);
  DisturbedTimes disturbed;
  for (const auto& row : windows) {
    const auto times = measured.find(row.process_id.value);
    if (row.phase != model::Phase::trace)
      add_window(row, times == measured.end() ? std::span<const std::int64_t>() : times->second,
                 disturbed[row.process_id.value]);
  }
  for (const auto& [process, times] : measured)
    for (const std::int64_t time : times) disturbed[process].emplace_back(time, time);
  for (const auto& row : gaps)
    disturbed[row.process_id.value].emplace_back(
        row.began_ns, row.ended_ns.value_or(std::numeric_limits<std::int64_t>::max()));
  // Launches are measured in gaps, too.
  for (auto& [process, spans] : disturbed) unite(spans);
  return disturbed;
}

}  // namespace coalescope::analysis
