#include "reports/analysis/rows/line_degree.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

constexpr double kWidestElement = 16;
// Bytes and lines are counted in different launches: their sums may be compared where both saw as many
// sectors.
constexpr double kSameWork = 1e-3;

using Executions = std::optional<std::int64_t> capture::InstructionCounts::*;

bool counts_as(const capture::InstructionView& instruction, Executions executions) {
  return plausible_count(instruction.*executions) && *(instruction.*executions) > 0 &&
         plausible_count(instruction.sectors) && plausible_count(instruction.ideal_sectors);
}

// At least a byte of each sector was asked for; at most all of each sector, and of what the lanes would fill
// if none shared a word.
DistinctBytes bounds_of(const capture::InstructionView& instruction) {
  const auto sectors = static_cast<double>(*instruction.sectors);
  const auto ideal = static_cast<double>(*instruction.ideal_sectors);
  DistinctBytes bytes{sectors, std::min(ideal, sectors) * kSectorBytes};
  if (plausible_count(instruction.threads))
    bytes.greatest = std::min(bytes.greatest, static_cast<double>(*instruction.threads) * kWidestElement);
  bytes.greatest = std::max(bytes.greatest, bytes.least);
  return bytes;
}

struct Member {
  std::size_t at = 0;
  DistinctBytes bytes;
};

// Each bound, given that all of them together are `total`.
void narrow(std::vector<Member>& members, double total) {
  double least = 0, greatest = 0;
  for (const Member& member : members) {
    least += member.bytes.least;
    greatest += member.bytes.greatest;
  }
  if (total < least || total > greatest) return;  // not the same work after all
  for (Member& member : members) {
    const DistinctBytes before = member.bytes;
    member.bytes.least = std::max(before.least, total - (greatest - before.greatest));
    member.bytes.greatest = std::min(before.greatest, total - (least - before.least));
    member.bytes.narrowed = true;
  }
}

void take_operation(std::vector<std::optional<DistinctBytes>>& all,
                    std::span<const capture::InstructionView> instructions, std::size_t first,
                    std::size_t last, Executions executions, const Access& access) {
  std::vector<Member> members;
  double sectors = 0;
  for (std::size_t at = first; at < last; ++at) {
    if (!counts_as(instructions[at], executions)) continue;
    members.push_back({at, bounds_of(instructions[at])});
    sectors += static_cast<double>(*instructions[at].sectors);
  }
  const auto launches = static_cast<double>(instructions[first].launches);
  if (access.data_bytes && access.sectors) {
    const double counted = static_cast<double>(*access.sectors) * launches;
    if (std::abs(counted - sectors) <= kSameWork * sectors)
      narrow(members, static_cast<double>(*access.data_bytes) * launches);
  }
  for (const Member& member : members) all[member.at] = member.bytes;
}

}  // namespace

std::vector<std::optional<DistinctBytes>> distinct_bytes(
    std::span<const capture::InstructionView> instructions, std::span<const KernelRow> kernels) {
  std::unordered_map<std::int64_t, const KernelRow*> by_group;
  for (const auto& kernel : kernels) by_group[kernel.id] = &kernel;
  std::vector<std::optional<DistinctBytes>> all(instructions.size());
  const KernelRow unknown;
  for (std::size_t first = 0; first < instructions.size();) {
    std::size_t last = first;
    while (last < instructions.size() && instructions[last].group_id == instructions[first].group_id) ++last;
    const auto found = by_group.find(instructions[first].group_id.value);
    const KernelRow& kernel = found == by_group.end() ? unknown : *found->second;
    take_operation(all, instructions, first, last, &capture::InstructionCounts::loads, kernel.load);
    take_operation(all, instructions, first, last, &capture::InstructionCounts::stores, kernel.store);
    first = last;
  }
  return all;
}

}  // namespace coalescope::analysis
