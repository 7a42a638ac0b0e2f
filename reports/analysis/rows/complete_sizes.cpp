#include "reports/analysis/rows/complete_sizes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

using model::GroupId;
using model::Phase;

double blocks_of(const capture::GroupView& group) {
  double blocks = 1;
  for (const auto size : group.grid) blocks *= static_cast<double>(size);
  return blocks;
}

using PhaseKey = std::tuple<std::string_view, std::array<std::int64_t, 3>, Phase>;
PhaseKey key_of(const capture::GroupView& group, Phase phase) {
  return {group.kernel_name, group.block, phase};
}

// The sizes that a phase has measured, by their blocks.
using Sizes = std::map<double, GroupId>;

// By the ratio of the blocks.
Sizes::const_iterator nearest(const Sizes& sizes, double blocks) {
  const auto above = sizes.lower_bound(blocks);
  if (above == sizes.begin()) return above;
  const auto below = std::prev(above);
  return above == sizes.end() || blocks * blocks < above->first * below->first ? below : above;
}

// Counts are multiplied and launches divided, so that the ratios of a size's counts stay what they are.
struct Proportion {
  std::int64_t counts = 1, launches = 1;
};
Proportion proportion(const capture::GroupView& of, const capture::GroupView& to) {
  const auto counts = std::llround(std::max(blocks_of(of), 1.0));
  const auto launches = std::llround(std::max(blocks_of(to), 1.0));
  const auto common = std::gcd(counts, launches);
  return {counts / common, launches / common};
}

// What L1 counted is there to be compared with phase bytes, and another size's differs.
void take_readings(capture::GroupReadings& to, const capture::GroupReadings& from, Phase phase,
                   const Proportion& scale) {
  for (const auto& metric : model::metric_catalogue()) {
    const auto found = from.find(metric.id);
    if (metric.phase != phase || metric.unit == model::Unit::nanoseconds || found == from.end()) continue;
    capture::MetricSum sum = found->second;
    sum.launches = base::product_of(sum.launches, scale.launches);
    sum.sum = base::product_of(sum.sum, scale.counts);
    sum.values.clear();
    for (auto* one : {&sum.least, &sum.greatest})
      *one = base::product_of(*one, scale.counts) / scale.launches;
    to.emplace(metric.id, sum);
  }
  to.erase(model::MetricId::l1_load_sectors);
  to.erase(model::MetricId::l1_store_sectors);
}

capture::InstructionView of_other_size(capture::InstructionView instruction, GroupId group,
                                       const Proportion& scale) {
  using Counts = capture::InstructionCounts;
  instruction.group_id = group;
  instruction.launches = base::product_of(instruction.launches, scale.launches);
  for (const auto count :
       {&Counts::sectors, &Counts::ideal_sectors, &Counts::loads, &Counts::stores, &Counts::atomics,
        &Counts::reductions, &Counts::async_copies, &Counts::threads, &Counts::local_sectors,
        &Counts::shared_requests, &Counts::shared_wavefronts, &Counts::shared_ideal_wavefronts})
    if (auto& value = instruction.*count) value = base::product_of(*value, scale.counts);
  return instruction;
}

}  // namespace

CompleteSizes complete_sizes(std::span<const capture::GroupView> groups, const ReadingsByGroup& readings,
                             std::span<const capture::InstructionView> instructions,
                             std::span<const model::Coverage> coverage) {
  std::unordered_map<GroupId, const capture::GroupView*> views;
  for (const auto& group : groups) views.emplace(group.group_id, &group);
  std::map<PhaseKey, Sizes> measured;
  std::vector<const model::Coverage*> missing;
  for (const auto& row : coverage) {
    const auto group = views.find(row.group_id);
    if (group == views.end()) continue;
    if (row.launches_measured > 0)
      measured[key_of(*group->second, row.phase)].emplace(blocks_of(*group->second), row.group_id);
    else if (row.reason == model::CoverageReason::size_measured)
      missing.push_back(&row);
  }
  CompleteSizes complete;
  if (missing.empty()) return complete;
  complete = {readings, {instructions.begin(), instructions.end()}, {}};
  std::unordered_map<GroupId, std::vector<const capture::InstructionView*>> of_group;
  for (const auto& instruction : instructions) of_group[instruction.group_id].push_back(&instruction);
  for (const model::Coverage* row : missing) {
    const capture::GroupView& group = *views.at(row->group_id);
    const auto sizes = measured.find(key_of(group, row->phase));
    if (sizes == measured.end()) continue;
    const GroupId from = nearest(sizes->second, blocks_of(group))->second;
    const Proportion scale = proportion(group, *views.at(from));
    complete.groups.insert(row->group_id);
    if (row->phase == Phase::lines)
      for (const auto* instruction : of_group[from])
        complete.instructions.push_back(of_other_size(*instruction, row->group_id, scale));
    if (const auto read = readings.find(from); read != readings.end())
      take_readings(complete.readings[row->group_id], read->second, row->phase, scale);
  }
  return complete;
}

}  // namespace coalescope::analysis
