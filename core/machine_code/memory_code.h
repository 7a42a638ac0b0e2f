#pragma once
// What the machine code of a function says of its memory instructions, without a disassembler: operation,
// width, base register, offset, whether the address comes from loaded data, and from which parameters.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "core/model/instruction.h"

namespace coalescope::machine_code {

struct MemoryCode {
  model::InstructionCode code;
  // The address is computed with these words of the parameters, of 8 bytes each: a bit for each of the first
  // 64. 0: with none of them, or it was not seen.
  std::uint64_t parameters = 0;
};

// By their offset in the function, in bytes. `function`: the content of its section. `parameters_at`: where
// its parameters begin in the bank of constants (parameters.h).
[[nodiscard]] std::map<std::int64_t, MemoryCode> decode_memory_code(std::span<const std::byte> function,
                                                                    std::int64_t parameters_at);

}  // namespace coalescope::machine_code
