#pragma once
// Adds up what was counted for each instruction over the `lines` windows of a kernel group.

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/capture/views.h"
#include "core/model/ids.h"
#include "core/model/instruction.h"
#include "core/model/metric.h"

namespace coalescope::capture {

// queries/line_windows.sql: one row a window and kernel.
struct LineWindow {
  model::WindowId window_id;
  model::KernelId kernel_id;
  model::GroupId group_id;
  std::int64_t launches = 0;
};

// First all windows and instructions are added, then the readings.
class InstructionSums {
 public:
  explicit InstructionSums(std::vector<model::Instruction> instructions);
  InstructionSums(const InstructionSums&) = delete;  // it points into itself
  InstructionSums& operator=(const InstructionSums&) = delete;

  void add(const LineWindow& window);
  // What belongs to no window or no instruction here is left out.
  void add(const model::InstructionReading& reading);

  // By group, then by instruction.
  [[nodiscard]] std::vector<InstructionView> views() const;

 private:
  using Key = std::pair<model::GroupId, model::InstructionId>;
  struct Sums {
    const model::Instruction* instruction = nullptr;
    InstructionCounts counts;
  };
  [[nodiscard]] Sums* sums_of(const model::InstructionReading& reading);

  std::vector<model::Instruction> instructions_;
  std::unordered_map<model::InstructionId, const model::Instruction*> instruction_by_id_;
  std::unordered_map<model::WindowId, std::vector<LineWindow>> windows_;
  std::unordered_map<model::GroupId, std::int64_t> launches_;
  std::map<Key, Sums> sums_;
  // Readings come in the order of their key: most belong where the one before did.
  model::WindowId last_window_;
  model::InstructionId last_instruction_;
  Sums* last_ = nullptr;
};

}  // namespace coalescope::capture
