#pragma once
// Memory instructions, where they stand in the source, and what was counted for each.

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/enums.h"
#include "core/model/ids.h"
#include "core/model/metric.h"

namespace coalescope::model {

struct Instruction {
  InstructionId id;
  KernelId kernel_id;
  std::int64_t module_crc = 0;
  std::int64_t pc_offset = 0;  // in the function, in bytes
  SourceState source_state = SourceState::unresolved;
  std::optional<std::string> file;
  std::optional<std::int64_t> line;
};

// Values of a `lines` window, which holds the launches of one group (see launch.window_id).
struct InstructionReading {
  WindowId window_id;
  InstructionId instruction_id;
  MetricId metric_id{};
  std::int64_t value = 0;
};

}  // namespace coalescope::model
