#pragma once
// Kernels and copies in the order of time: idle moments beside copies that were waited for and before
// launches and behind waits, copies and kernels that took turns, and data that went to the host and came
// back.

#include <set>
#include <span>
#include <vector>

#include "core/capture/views.h"
#include "core/model/launch.h"
#include "core/model/run.h"
#include "reports/analysis/report.h"
#include "reports/analysis/rows/host_calls.h"

namespace coalescope::analysis {

struct TimelineInput {
  std::span<const capture::GroupView> groups;
  std::span<const capture::LaunchPlace> launches;  // by the groups' places
  std::span<const capture::LaunchPlace> measured;  // those without a time
  std::span<const capture::TransferPlace> transfers;
  std::span<const model::PhaseWindow> windows;  // of measuring
  std::span<const model::TraceGap> gaps;        // of a long run, in which not everything was listed
  std::span<const KernelRow> kernels;           // for their names
  std::span<const TransferRow> classes;         // of the transfers
  std::span<const model::Process> processes;
  HostCalls host_calls;
  std::set<std::int64_t> read_by_others;       // processes: see host_calls.h
  std::span<const std::int32_t> streams = {};  // of each of `launches`
};

// One row a process and device; in the order of their ids.
[[nodiscard]] std::vector<TimelineRow> timelines_of(const TimelineInput& input);

}  // namespace coalescope::analysis
