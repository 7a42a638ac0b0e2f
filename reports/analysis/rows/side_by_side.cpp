#include "reports/analysis/rows/side_by_side.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace coalescope::analysis {
namespace {

struct BesideSum {
  double all_ns = 0, beside_ns = 0;
};

std::int64_t end_of(const capture::LaunchPlace& launch) {
  return launch.start_ns + launch.gpu_ns;
}

// Of launches in the order of time: what of each is before the end of an earlier one, or after the beginning
// of the next, whichever is longer.
void add_up(std::vector<const capture::LaunchPlace*>& launches, std::vector<BesideSum>& sums) {
  std::ranges::stable_sort(launches, {}, &capture::LaunchPlace::start_ns);
  std::int64_t last_end = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto& launch = *launches[i];
    const std::int64_t end = end_of(launch);
    std::int64_t beside = std::min(last_end, end) - launch.start_ns;
    if (i + 1 < launches.size())
      beside = std::max(beside, std::min(end, end_of(*launches[i + 1])) - launches[i + 1]->start_ns);
    last_end = std::max(last_end, end);
    BesideSum& sum = sums[static_cast<std::size_t>(launch.group)];
    sum.all_ns += launch.gpu_ns;
    sum.beside_ns += static_cast<double>(std::max<std::int64_t>(0, beside));
  }
}

}  // namespace

void take_side_by_side(std::span<KernelRow> kernels, std::span<const capture::LaunchPlace> launches,
                       std::span<const capture::GroupView> groups) {
  std::map<std::int64_t, std::vector<const capture::LaunchPlace*>> devices;
  for (const auto& launch : launches)
    devices[groups[static_cast<std::size_t>(launch.group)].device_id.value].push_back(&launch);
  std::vector<BesideSum> sums(groups.size());
  for (auto& [device, of_device] : devices) add_up(of_device, sums);
  std::unordered_map<std::int64_t, const BesideSum*> of_group;
  for (std::size_t i = 0; i < groups.size(); ++i) of_group.emplace(groups[i].group_id.value, &sums[i]);
  for (KernelRow& row : kernels)
    if (const auto sum = of_group.find(row.id); sum != of_group.end() && sum->second->all_ns > 0)
      row.beside_ratio = sum->second->beside_ns / sum->second->all_ns;
}

}  // namespace coalescope::analysis
