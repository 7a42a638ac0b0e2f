#pragma once
// The blocks of a function, and which follow which.

#include <cstddef>
#include <span>
#include <vector>

#include "core/machine_code/instruction_bits.h"

namespace coalescope::machine_code {

struct Block {
  std::size_t begin = 0, end = 0;  // instructions
  std::vector<std::size_t> next;   // blocks
};

// In the order of the code. Calls return, and of a jump to a place that data give nothing is known: both
// count as going on.
[[nodiscard]] std::vector<Block> blocks_of(std::span<const Instruction> codes);

}  // namespace coalescope::machine_code
