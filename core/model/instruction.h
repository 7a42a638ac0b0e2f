#pragma once
// Memory instructions, where they stand in the source, and what was counted for each.

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/enums.h"
#include "core/model/ids.h"
#include "core/model/metric.h"

namespace coalescope::model {

// What the code of an instruction says.
struct InstructionCode {
  MemoryOperation operation = MemoryOperation::global_load;
  std::optional<std::int64_t> access_bytes;   // of a lane
  std::optional<std::int64_t> base_register;  // std::nullopt: all lanes have one address
  std::int64_t base_offset = 0;               // bytes that the code adds to it
  bool indexed = false;  // the address comes from what lanes have loaded from addresses of their own
  // The pointer that the address is computed from: see GroupPointer. std::nullopt: not known, or one of
  // several.
  std::optional<std::int64_t> parameter;
  std::int64_t parameter_byte = 0;
};

struct Instruction {
  InstructionId id;
  KernelId kernel_id;
  std::int64_t module_crc = 0;
  std::int64_t pc_offset = 0;  // in the function, in bytes
  SourceState source_state = SourceState::unresolved;
  std::optional<std::string> file;
  std::optional<std::int64_t> line;
  std::optional<MemoryOperation> operation;  // this and those below: see InstructionCode
  std::optional<std::int64_t> access_bytes;
  std::optional<std::int64_t> base_register;
  std::optional<std::int64_t> base_offset;
  std::optional<bool> indexed;
  std::optional<std::int64_t> parameter;
  std::optional<std::int64_t> parameter_byte;
};

// Values of a `lines` window, which holds the launches of one group (see launch.window_id).
struct InstructionReading {
  WindowId window_id;
  InstructionId instruction_id;
  MetricId metric_id{};
  std::int64_t value = 0;
};

}  // namespace coalescope::model
