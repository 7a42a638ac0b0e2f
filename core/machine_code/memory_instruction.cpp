#include "core/machine_code/memory_instruction.h"

#include <algorithm>
#include <array>

namespace coalescope::machine_code {
namespace {

using model::MemoryOperation;

// By the field of the size; 0: not known.
using Sizes = std::array<std::int64_t, 8>;
constexpr Sizes kNoSizes{};
constexpr Sizes kSizes{1, 1, 2, 2, 4, 8, 16, 0};  // the narrow ones unsigned and signed
// Of integers, and before sm_90 of floating-point numbers. 3 is 4 bytes before sm_90 and 8 since.
constexpr Sizes kAtomicSizes{4, 4, 8, 0, 4, 8, 8, 0};
constexpr Sizes kFloatAtomicSizes{0, 4, 8, 16, 0, 0, 0, 8};  // since sm_90
constexpr Sizes kPairAtomicSizes{4, 0, 0, 4, 0, 0, 0, 0};    // of two half-words

struct MemoryRow {
  unsigned operation;
  MemoryOperation does;
  const Sizes& sizes;
  bool loads;  // its target holds what was in memory
};
constexpr std::array kMemoryRows{
    MemoryRow{0x181, MemoryOperation::global_load, kSizes, true},
    MemoryRow{0x186, MemoryOperation::global_store, kSizes, false},
    MemoryRow{0x180, MemoryOperation::generic_load, kSizes, true},
    MemoryRow{0x185, MemoryOperation::generic_store, kSizes, false},
    MemoryRow{0x184, MemoryOperation::shared_load, kSizes, true},
    MemoryRow{0x188, MemoryOperation::shared_store, kSizes, false},
    // Spilled values are no data of the program.
    MemoryRow{0x183, MemoryOperation::local_load, kSizes, false},
    MemoryRow{0x187, MemoryOperation::local_store, kSizes, false},
    MemoryRow{0x1a8, MemoryOperation::atomic, kAtomicSizes, true},
    MemoryRow{0x1a9, MemoryOperation::atomic, kAtomicSizes, true},  // compare and swap
    MemoryRow{0x18a, MemoryOperation::atomic, kAtomicSizes, true},  // generic
    MemoryRow{0x18b, MemoryOperation::atomic, kAtomicSizes, true},
    MemoryRow{0x1a3, MemoryOperation::atomic, kFloatAtomicSizes, true},
    MemoryRow{0x1a2, MemoryOperation::atomic, kPairAtomicSizes, true},
    MemoryRow{0x18e, MemoryOperation::reduction, kAtomicSizes, false},
    MemoryRow{0x1a6, MemoryOperation::reduction, kFloatAtomicSizes, false},  // of floating-point numbers
    MemoryRow{0x18c, MemoryOperation::shared_atomic, kNoSizes, true},
    MemoryRow{0x18d, MemoryOperation::shared_atomic, kNoSizes, true},  // compare and swap
    MemoryRow{0x1ae, MemoryOperation::async_copy, kNoSizes, false},
};

}  // namespace

std::optional<MemoryInstruction> memory_instruction(const Instruction& code) {
  const auto* row = std::ranges::find(kMemoryRows, code.operation(), &MemoryRow::operation);
  if (row == kMemoryRows.end()) return std::nullopt;
  const std::int64_t bytes = row->sizes.at(code.size());
  return MemoryInstruction{row->does, bytes > 0 ? std::optional(bytes) : std::nullopt, row->loads,
                           row->loads || row->does == MemoryOperation::local_load};
}

}  // namespace coalescope::machine_code
