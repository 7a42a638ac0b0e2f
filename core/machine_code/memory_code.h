#pragma once
// What the machine code of a function says of its memory instructions, without a disassembler: operation,
// width, base register, offset, and whether the address comes from loaded data. For GPUs since Volta, whose
// instructions have 16 bytes and these fields in these places; seen in code that nvcc 13.0 makes for sm_75,
// 80, 90, 100 and 120.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "core/model/instruction.h"

namespace coalescope::machine_code {

// By their offset in the function, in bytes. `function`: the content of its section.
[[nodiscard]] std::map<std::int64_t, model::InstructionCode> decode_memory_code(
    std::span<const std::byte> function);

}  // namespace coalescope::machine_code
