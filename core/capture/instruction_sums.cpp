#include "core/capture/instruction_sums.h"

#include <array>
#include <utility>

#include "core/capture/limits.h"

namespace coalescope::capture {

using model::MetricId;

namespace {

struct Counter {
  MetricId metric;
  std::optional<std::int64_t> InstructionCounts::*member;
};
constexpr std::array kCounters{
    Counter{MetricId::instruction_sectors, &InstructionCounts::sectors},
    Counter{MetricId::instruction_ideal_sectors, &InstructionCounts::ideal_sectors},
    Counter{MetricId::instruction_loads, &InstructionCounts::loads},
    Counter{MetricId::instruction_stores, &InstructionCounts::stores},
    Counter{MetricId::instruction_atomics, &InstructionCounts::atomics},
    Counter{MetricId::instruction_reductions, &InstructionCounts::reductions},
    Counter{MetricId::instruction_async_copies, &InstructionCounts::async_copies},
    Counter{MetricId::instruction_threads, &InstructionCounts::threads},
    Counter{MetricId::instruction_local_sectors, &InstructionCounts::local_sectors},
    Counter{MetricId::instruction_shared_requests, &InstructionCounts::shared_requests},
    Counter{MetricId::instruction_shared_wavefronts, &InstructionCounts::shared_wavefronts},
    Counter{MetricId::instruction_shared_ideal_wavefronts, &InstructionCounts::shared_ideal_wavefronts},
};

std::optional<model::InstructionCode> code_of(const model::Instruction& instruction) {
  if (!instruction.operation) return std::nullopt;
  return model::InstructionCode{*instruction.operation,
                                instruction.access_bytes,
                                instruction.base_register,
                                instruction.base_offset.value_or(0),
                                instruction.indexed.value_or(false),
                                instruction.parameter,
                                instruction.parameter_byte.value_or(0)};
}

}  // namespace

InstructionSums::InstructionSums(std::vector<model::Instruction> instructions)
    : instructions_(std::move(instructions)) {
  for (const model::Instruction& instruction : instructions_)
    instruction_by_id_.emplace(instruction.id, &instruction);
}

void InstructionSums::add(const LineWindow& window) {
  windows_[window.window_id].push_back(window);
  launches_[window.group_id] += window.launches;
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

void InstructionSums::add(const model::InstructionReading& reading) {
  if (reading.window_id != last_window_ || reading.instruction_id != last_instruction_) {
    last_window_ = reading.window_id;
    last_instruction_ = reading.instruction_id;
    last_ = sums_of(reading);
  }
  if (last_ == nullptr) return;
  for (const Counter& counter : kCounters) {
    if (counter.metric != reading.metric_id) continue;
    std::optional<std::int64_t>& sum = last_->counts.*counter.member;
    sum = sum.value_or(0) + reading.value;
    return;
  }
}

std::vector<InstructionView> InstructionSums::views() const {
  std::vector<InstructionView> views;
  views.reserve(sums_.size());
  const std::size_t most = share_of(kMostNamesTogether, sums_.size());
  for (const auto& [key, sums] : sums_) {
    const model::Instruction& instruction = *sums.instruction;
    views.push_back({sums.counts, key.first, instruction.kernel_id, instruction.module_crc,
                     instruction.pc_offset, instruction.source_state, std::nullopt, instruction.line,
                     launches_.at(key.first), code_of(instruction)});
    if (instruction.file) views.back().file = cut(*instruction.file, most);
  }
  return views;
}

}  // namespace coalescope::capture
