#pragma once
// The instructions that access memory: what each does, how wide it is, and whether its target holds what was
// in memory.

#include <cstdint>
#include <optional>

#include "core/machine_code/instruction_bits.h"
#include "core/model/enums.h"

namespace coalescope::machine_code {

struct MemoryInstruction {
  model::MemoryOperation does = model::MemoryOperation::global_load;
  std::optional<std::int64_t> bytes;  // of a lane
  bool loads = false;                 // its target holds data of the program
  bool writes_target = false;
};

// nullopt: it accesses no memory.
[[nodiscard]] std::optional<MemoryInstruction> memory_instruction(const Instruction& code);

}  // namespace coalescope::machine_code
