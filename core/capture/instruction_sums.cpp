#include "core/capture/instruction_sums.h"

#include <utility>

namespace coalescope::capture {

using model::MetricId;

InstructionSums::InstructionSums(std::vector<model::Instruction> instructions)
    : instructions_(std::move(instructions)) {
  for (const model::Instruction& instruction : instructions_)
    instruction_by_id_.emplace(instruction.id, &instruction);
}

void InstructionSums::add(const LineWindow& window) {
  windows_[window.window_id].push_back(window);
  launches_[window.group_id] += window.launches;
}

std::optional<std::int64_t> InstructionSums::Sums::*InstructionSums::member_of(MetricId metric) {
  switch (metric) {
    case MetricId::instruction_sectors:
      return &Sums::sectors;
    case MetricId::instruction_ideal_sectors:
      return &Sums::ideal_sectors;
    case MetricId::instruction_loads:
      return &Sums::loads;
    case MetricId::instruction_stores:
      return &Sums::stores;
    default:
      return nullptr;
  }
}

InstructionSums::Sums* InstructionSums::sums_of(const model::InstructionReading& reading) {
  const auto instruction = instruction_by_id_.find(reading.instruction_id);
  const auto window = windows_.find(reading.window_id);
  if (instruction == instruction_by_id_.end() || window == windows_.end()) return nullptr;
  for (const LineWindow& kernel : window->second) {
    if (kernel.kernel_id != instruction->second->kernel_id) continue;
    Sums& sums = sums_[{kernel.group_id, reading.instruction_id}];
    sums.instruction = instruction->second;
    return &sums;
  }
  return nullptr;
}

bool InstructionSums::add(const model::InstructionReading& reading) {
  if (reading.window_id != last_window_ || reading.instruction_id != last_instruction_) {
    last_window_ = reading.window_id;
    last_instruction_ = reading.instruction_id;
    last_ = sums_of(reading);
  }
  const auto member = member_of(reading.metric_id);
  if (last_ == nullptr || member == nullptr) return true;
  std::optional<std::int64_t>& sum = last_->*member;
  if (!sum) sum = 0;
  return !__builtin_add_overflow(*sum, reading.value, &*sum);
}

std::vector<InstructionView> InstructionSums::views() const {
  std::vector<InstructionView> views;
  views.reserve(sums_.size());
  for (const auto& [key, sums] : sums_) {
    const model::Instruction& instruction = *sums.instruction;
    views.push_back({key.first, instruction.kernel_id, instruction.module_crc, instruction.pc_offset,
                     instruction.source_state, instruction.file, instruction.line, launches_.at(key.first),
                     sums.sectors, sums.ideal_sectors, sums.loads, sums.stores});
  }
  return views;
}

}  // namespace coalescope::capture
