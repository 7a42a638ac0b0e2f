#pragma once
// Launches, the windows in which some of them were measured, and what was read there.

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/enums.h"
#include "core/model/ids.h"
#include "core/model/metric.h"

namespace coalescope::model {

// Kept narrow: there may be millions. The shape lies in the group.
struct Launch {
  LaunchId id;
  GroupId group_id;
  std::int64_t stream = 0;               // CUPTI's stream id, unique in its process
  std::optional<std::int64_t> start_ns;  // on the GPU; of one that was measured: on the host
  std::optional<std::int64_t> gpu_ns;
  std::optional<WindowId> window_id;     // NULL: traced only
  std::optional<std::int64_t> graph_id;  // NULL: launched directly
};

// Launches of a group that are no rows of `launch`: a long recording adds them up. All ran natively.
struct LaunchTotal {
  GroupId group_id;
  std::int64_t launches = 0;
  std::int64_t timed_launches = 0;              // the others were only counted
  std::int64_t gpu_ns = 0;                      // of the timed ones together
  std::optional<std::int64_t> shortest_gpu_ns;  // NULL: none was timed
};

// A stretch in which launches and transfers were not listed: added up in a long run, or not seen while the
// program's own profiler had CUPTI.
struct TraceGap {
  std::int64_t id = 0;
  ProcessId process_id;
  std::int64_t began_ns = 0;
  std::optional<std::int64_t> ended_ns;  // NULL: it lasted until the recording ended
};

// One stay in a phase other than trace.
struct PhaseWindow {
  WindowId id;
  ProcessId process_id;
  Phase phase = Phase::trace;
  std::int64_t began_ns = 0;
  std::int64_t ended_ns = 0;
  std::int64_t launches = 0;
  std::int64_t cost_ns = 0;                           // host time spent on entering and leaving
  CoverageReason outcome = CoverageReason::measured;  // measured, or why its readings were discarded
  std::optional<std::int64_t> launches_cost_ns;       // host time that its launches took beyond native ones
};

// How much of a group was measured in a phase, and if none, why.
struct Coverage {
  GroupId group_id;
  Phase phase = Phase::trace;
  std::int64_t launches_seen = 0;
  std::int64_t launches_measured = 0;
  CoverageReason reason = CoverageReason::measured;
  bool operator==(const Coverage&) const = default;
};

// A catalogue row that this capture uses, with the name that the chip was really asked for.
struct MetricUsed {
  MetricId id{};
  std::string key;
  std::string cupti_name;
  Phase phase = Phase::trace;
  std::string unit;
};

// One counter of one launch.
struct Reading {
  LaunchId launch_id;
  MetricId metric_id{};
  std::int64_t value = 0;
};

}  // namespace coalescope::model
