#include "kernels/answers/observation.h"

#include <utility>

#include "core/base/demangle.h"

namespace coalescope::kernels {
namespace {

using model::Direction;
using model::GroupId;
using model::KernelId;
using model::LaunchId;
using model::MemoryKind;
using model::MetricId;
using model::WindowId;

using RunsByKernel = std::unordered_map<std::string, KernelRuns>;
using RunsByGroup = std::unordered_map<GroupId, KernelRuns*>;
using RunsByLaunch = std::unordered_map<LaunchId, KernelRuns*>;

RunsByGroup make_runs(const CaptureRows& rows, RunsByKernel& runs) {
  std::unordered_map<KernelId, std::string> names;
  for (const model::Kernel& kernel : rows.kernels) names[kernel.id] = base::kernel_label(kernel.name);
  RunsByGroup by_group;
  for (const model::KernelGroup& group : rows.groups) by_group[group.id] = &runs[names[group.kernel_id]];
  return by_group;
}

// Only windows that held a single launch: the values of others belong to several launches together.
std::unordered_map<WindowId, KernelRuns*> runs_of_single_launches(const CaptureRows& rows,
                                                                  const RunsByGroup& by_group) {
  std::unordered_map<WindowId, std::int64_t> launches_in;
  for (const model::PhaseWindow& window : rows.windows) launches_in[window.id] = window.launches;
  std::unordered_map<WindowId, KernelRuns*> by_window;
  for (const model::Launch& launch : rows.launches)
    if (launch.window_id && launches_in[*launch.window_id] == 1)
      by_window[*launch.window_id] = by_group.at(launch.group_id);
  return by_window;
}

void add_instruction_counts(const CaptureRows& rows, const RunsByGroup& by_group) {
  const auto by_window = runs_of_single_launches(rows, by_group);
  std::map<std::pair<WindowId, MetricId>, std::int64_t> sums;
  for (const model::InstructionReading& reading : rows.instruction_readings)
    sums[{reading.window_id, reading.metric_id}] += reading.value;
  for (const auto& [key, sum] : sums)
    if (const auto found = by_window.find(key.first); found != by_window.end())
      found->second->counts[key.second].push_back(sum);
}

MemoryKind host_side(const model::Transfer& transfer) {
  return transfer.direction == Direction::host_to_device ? transfer.source_memory
                                                         : transfer.destination_memory;
}

}  // namespace

std::unordered_map<std::string, KernelRuns> runs_by_kernel(const CaptureRows& rows) {
  RunsByKernel runs;
  const RunsByGroup by_group = make_runs(rows, runs);
  RunsByLaunch by_launch;
  for (const model::Launch& launch : rows.launches) {
    KernelRuns& kernel = *by_group.at(launch.group_id);
    by_launch[launch.id] = &kernel;
    ++kernel.launches;
    if (launch.gpu_ns && !launch.window_id) kernel.native_gpu_ns.push_back(*launch.gpu_ns);
  }
  for (const model::Reading& reading : rows.readings)
    by_launch.at(reading.launch_id)->counts[reading.metric_id].push_back(reading.value);
  add_instruction_counts(rows, by_group);
  for (const model::Coverage& coverage : rows.coverage)
    by_group.at(coverage.group_id)->reasons[coverage.phase] = coverage.reason;
  return runs;
}

std::vector<std::int64_t> times_of(const HostCopy& copy, const CaptureRows& rows) {
  std::vector<std::int64_t> times;
  for (const model::Transfer& transfer : rows.transfers)
    if (transfer.direction == copy.direction && host_side(transfer) == copy.host_memory &&
        transfer.bytes == copy.bytes)
      times.push_back(transfer.gpu_ns);
  return times;
}

}  // namespace coalescope::kernels
