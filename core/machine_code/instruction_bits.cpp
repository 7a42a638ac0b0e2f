#include "core/machine_code/instruction_bits.h"

#include <cstring>

namespace coalescope::machine_code {

std::vector<Instruction> instructions_of(std::span<const std::byte> function) {
  std::vector<Instruction> codes(function.size() / kInstructionBytes);
  for (std::size_t at = 0; at < codes.size(); ++at) {
    std::memcpy(&codes[at].low, &function[at * kInstructionBytes], sizeof codes[at].low);
    std::memcpy(&codes[at].high, &function[at * kInstructionBytes + sizeof codes[at].low],
                sizeof codes[at].high);
  }
  return codes;
}

}  // namespace coalescope::machine_code
