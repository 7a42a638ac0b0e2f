#include "reports/analysis/rows/instruction_sums.h"

#include <algorithm>
#include <array>

#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/needed_sectors.h"
#include "reports/analysis/rows/request_lines.h"

namespace coalescope::analysis {
namespace {

double lines_of(const capture::InstructionView& instruction, Count executions, const BlockShape& block) {
  const Request request{sectors_per_request(instruction.sectors, executions),
                        sectors_per_request(needed_sectors(instruction), executions),
                        lanes(instruction.threads, executions)};
  const bool indexed = instruction.code && instruction.code->indexed;
  return lines_of(request, indexed, block) * real(executions);
}

void add_width(InstructionSums::Operation& operation, const capture::InstructionView& instruction,
               Count executions) {
  const auto bytes = instruction.code ? instruction.code->access_bytes : std::nullopt;
  operation.has_widths &= bytes.has_value();
  operation.width_bytes += real(bytes) * real(executions);
}

void add_operation(InstructionSums& sums, const capture::InstructionView& instruction,
                   const BlockShape& block) {
  struct Kind {
    std::optional<std::int64_t> capture::InstructionCounts::*executions;
    InstructionSums::Operation InstructionSums::*member;
  };
  constexpr std::array kKinds{
      Kind{&capture::InstructionCounts::loads, &InstructionSums::load},
      Kind{&capture::InstructionCounts::stores, &InstructionSums::store},
      Kind{&capture::InstructionCounts::atomics, &InstructionSums::atomic},
      Kind{&capture::InstructionCounts::reductions, &InstructionSums::reduction},
  };
  for (const Kind& kind : kKinds) {
    const Count executions = instruction.*kind.executions;
    if (!plausible_count(executions)) continue;
    auto& operation = sums.*kind.member;
    add(operation.requests, executions);
    if (*executions == 0) continue;
    operation.sectors += *instruction.sectors;
    operation.ideal_sectors += *instruction.ideal_sectors;
    operation.needed_sectors += needed_sectors(instruction);
    operation.lines += lines_of(instruction, executions, block);
    add(operation.threads, instruction.threads);
    add_width(operation, instruction, executions);
  }
}

void add_shared(InstructionSums& sums, const capture::InstructionView& instruction) {
  add(sums.shared_requests, instruction.shared_requests);
  add(sums.shared_wavefronts, instruction.shared_wavefronts);
  const auto needed = needed_wavefronts(instruction);
  add(sums.shared_ideal_wavefronts, needed);
  if (plausible_count(instruction.shared_wavefronts) && plausible_count(needed))
    sums.surplus_wavefronts += std::max<std::int64_t>(0, *instruction.shared_wavefronts - *needed);
}

}  // namespace

InstructionSumsByGroup sum_instructions(std::span<const capture::InstructionView> instructions,
                                        std::span<const capture::GroupView> groups) {
  std::unordered_map<model::GroupId, BlockShape> blocks;
  for (const auto& group : groups) blocks[group.group_id] = group.block;
  InstructionSumsByGroup by_group;
  for (const auto& instruction : instructions) {
    auto& sums = by_group[instruction.group_id];
    sums.launches = instruction.launches;
    sums.code_crc = instruction.module_crc;
    add_shared(sums, instruction);
    if (!plausible_count(instruction.sectors) || !plausible_count(instruction.ideal_sectors)) continue;
    sums.sectors += *instruction.sectors;
    sums.ideal_sectors += *instruction.ideal_sectors;
    add_operation(sums, instruction, blocks[instruction.group_id]);
  }
  return by_group;
}

}  // namespace coalescope::analysis
