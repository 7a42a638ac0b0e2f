#include "reports/analysis/rows/long_launches.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

// Of the median. Launches of the same work differ by less on a GPU that runs nothing else.
constexpr std::int64_t kLonger = 2;
constexpr std::int64_t kLeastLaunches = 32;
// Of a short launch much of what the counters take for its time is its start and end.
constexpr std::int64_t kLeastMedianNs = 10'000;

// With as many of them among the measured ones on average, none is missing in one case of twenty.
constexpr double kSurelyMeasured = 3;

// 0: the counters do not tell, as of most short launches.
std::int64_t longest_measured_ns(const ReadingsByGroup& readings, std::int64_t group) {
  const auto found = readings.find(model::GroupId{group});
  if (found == readings.end()) return 0;
  const auto duration = found->second.find(model::MetricId::traffic_ns);
  return duration == found->second.end() ? 0 : duration->second.greatest;
}

// std::nullopt: there is none, or one was measured.
std::optional<LongLaunches> long_launches_of(const KernelRow& row, std::span<const std::uint32_t> times_ns,
                                             const ReadingsByGroup& readings) {
  const std::int64_t median_ns = row.median_gpu_ns.value_or(0);
  if (std::ssize(times_ns) < kLeastLaunches || median_ns < kLeastMedianNs ||
      longest_measured_ns(readings, row.id) >= kLonger * median_ns)
    return std::nullopt;
  LongLaunches found;
  std::int64_t all_ns = 0, long_ns = 0;
  for (const std::int64_t ns : times_ns) {
    base::add_to(all_ns, ns);
    if (ns < kLonger * median_ns) continue;
    ++found.launches;
    base::add_to(long_ns, ns);
  }
  found.listed = std::ssize(times_ns);
  const double measured = real(found.launches) / real(found.listed) * real(row.bytes_samples.measured);
  if (found.launches == 0 || row.bytes_samples.measured == 0 || measured >= kSurelyMeasured)
    return std::nullopt;
  found.share = real(long_ns) / real(all_ns);
  return found;
}

}  // namespace

void take_long_launches(std::span<KernelRow> kernels, std::span<const capture::LaunchPlace> launches,
                        std::span<const capture::GroupView> groups, const ReadingsByGroup& readings) {
  std::unordered_map<std::int64_t, std::vector<std::uint32_t>> times;
  for (const auto& launch : launches)
    times[groups[static_cast<std::size_t>(launch.group)].group_id.value].push_back(launch.gpu_ns);
  for (KernelRow& row : kernels)
    if (const auto found = times.find(row.id); found != times.end())
      row.long_launches = long_launches_of(row, found->second, readings);
}

}  // namespace coalescope::analysis
