#include "core/machine_code/memory_code.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace coalescope::machine_code {
namespace {

using model::InstructionCode;
using model::MemoryOperation;

constexpr std::size_t kInstructionBytes = 16;
constexpr unsigned kZeroRegister = 255;
constexpr unsigned kAlways = 7;  // the predicate of an instruction that is always executed

// An instruction's bits: 0 to 8 the operation, 9 to 11 the form of its operands, 12 to 15 its predicate, then
// registers.
struct Instruction {
  std::uint64_t low = 0, high = 0;

  [[nodiscard]] unsigned operation() const { return low & 0x1ff; }
  [[nodiscard]] unsigned form() const { return (low >> 9) & 7; }
  [[nodiscard]] bool is_predicated() const { return ((low >> 12) & 15) != kAlways; }
  [[nodiscard]] unsigned target() const { return (low >> 16) & 255; }
  [[nodiscard]] unsigned first() const { return (low >> 24) & 255; }
  [[nodiscard]] unsigned second() const { return (low >> 32) & 255; }
  [[nodiscard]] unsigned third() const { return high & 255; }
  [[nodiscard]] unsigned size() const { return (high >> 9) & 7; }
  [[nodiscard]] unsigned special_register() const { return (high >> 8) & 255; }
  [[nodiscard]] std::int64_t offset() const { return static_cast<std::int64_t>(low) >> 40; }  // signed
};

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
    MemoryRow{0x183, MemoryOperation::local_load, kSizes,
              false},  // spilled values are no data of the program
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
const MemoryRow* memory_row(unsigned operation) {
  const auto* found = std::ranges::find(kMemoryRows, operation, &MemoryRow::operation);
  return found == kMemoryRows.end() ? nullptr : found;
}

// What addresses are computed with. `first`: the first operand is one; a MOV's field is not. Of results with
// two registers the lower one tells.
struct ArithmeticRow {
  unsigned operation;
  bool first, third;
};
constexpr std::array kArithmeticRows{
    ArithmeticRow{0x002, false, false},  // MOV
    ArithmeticRow{0x007, true, false},   // SEL
    ArithmeticRow{0x010, true, true},    // IADD3
    ArithmeticRow{0x011, true, true},    // LEA
    ArithmeticRow{0x012, true, true},    // LOP3
    ArithmeticRow{0x016, true, true},    // PRMT
    ArithmeticRow{0x017, true, false},   // IMNMX
    ArithmeticRow{0x019, true, true},    // SHF
    ArithmeticRow{0x01a, true, false},   // SGXT
    ArithmeticRow{0x024, true, true},    // IMAD
    ArithmeticRow{0x025, true, true},    // IMAD.WIDE
    ArithmeticRow{0x027, true, true},    // IMAD.HI
    ArithmeticRow{0x035, true, true},    // IADD.64
    ArithmeticRow{0x036, true, false},   // VIADD
    ArithmeticRow{0x048, true, false},   // VIMNMX
    ArithmeticRow{0x189, true, false},   // SHFL
};
constexpr unsigned kSpecialRegister = 0x119;                           // S2R
constexpr std::array<unsigned, 4> kOfTheLane{0x00, 0x21, 0x22, 0x23};  // its number, threadIdx
constexpr std::array<unsigned, 2> kConstants{0x182, 0x005};            // LDC, CS2R

// What a register holds: it differs by lane, and it comes from memory at addresses that differ by lane.
struct Origin {
  bool by_lane = false, loaded = false;
  Origin& operator|=(const Origin& other) {
    by_lane |= other.by_lane;
    loaded |= other.loaded;
    return *this;
  }
};

// Follows values through the registers in the order of the code.
class Registers {
 public:
  [[nodiscard]] Origin at(unsigned number) const {
    return number < kZeroRegister ? held_.at(number) : Origin();
  }
  void set(unsigned number, unsigned count, Origin origin, bool perhaps) {
    for (unsigned each = number; each < std::min(number + count, kZeroRegister); ++each) {
      if (!perhaps) held_.at(each) = Origin();
      held_.at(each) |= origin;
    }
  }

 private:
  std::array<Origin, kZeroRegister + 1> held_{};
};

std::optional<std::int64_t> access_bytes(const Instruction& code, const MemoryRow& row) {
  const std::int64_t bytes = row.sizes.at(code.size());
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

InstructionCode code_of(const Instruction& code, const MemoryRow& row, const Registers& registers) {
  InstructionCode known;
  known.operation = row.does;
  known.access_bytes = access_bytes(code, row);
  if (code.first() != kZeroRegister) known.base_register = code.first();
  known.base_offset = code.offset();
  known.indexed = registers.at(code.first()).loaded;
  return known;
}

void follow_load(const Instruction& code, const MemoryRow& row, Registers& registers) {
  const bool by_lane = row.loads && registers.at(code.first()).by_lane;
  const auto bytes = access_bytes(code, row).value_or(4);
  registers.set(code.target(), static_cast<unsigned>((bytes + 3) / 4), {by_lane, by_lane},
                code.is_predicated());
}

// In form 1 the second operand is a register; in others it is a constant, or the third takes its place.
void follow_arithmetic(const Instruction& code, const ArithmeticRow& row, Registers& registers) {
  constexpr unsigned kRegisters = 1;
  Origin origin;
  if (row.first) origin |= registers.at(code.first());
  if (code.form() == kRegisters) origin |= registers.at(code.second());
  if (row.third) origin |= registers.at(code.third());
  registers.set(code.target(), 1, origin, code.is_predicated());
}

bool writes_target(const MemoryRow& row) {
  return row.loads || row.does == MemoryOperation::local_load;
}

void follow(const Instruction& code, Registers& registers) {
  const unsigned operation = code.operation();
  if (const MemoryRow* row = memory_row(operation)) {
    if (writes_target(*row)) follow_load(code, *row, registers);
  } else if (const auto* arithmetic =
                 std::ranges::find(kArithmeticRows, operation, &ArithmeticRow::operation);
             arithmetic != kArithmeticRows.end()) {
    follow_arithmetic(code, *arithmetic, registers);
  } else if (operation == kSpecialRegister) {
    const bool by_lane = std::ranges::find(kOfTheLane, code.special_register()) != kOfTheLane.end();
    registers.set(code.target(), 1, {by_lane, false}, code.is_predicated());
  } else if (std::ranges::find(kConstants, operation) != kConstants.end()) {
    registers.set(code.target(), 1, {}, code.is_predicated());
  }
}

// Relative branches. Until sm_89 the offset stands in bytes above bit 32; since sm_90 in words, its lowest
// eight bits in the field of the target and the others above bit 34. Each function ends with a branch to
// itself, so that the field tells which it is.
constexpr unsigned kBranch = 0x147;

bool has_word_offsets(std::span<const Instruction> codes) {
  return std::ranges::any_of(
      codes, [](const Instruction& code) { return code.operation() == kBranch && code.target() != 0; });
}

// Where a branch goes back to; std::nullopt: it is none, or it goes on.
std::optional<std::size_t> goes_back_to(const Instruction& code, std::size_t at, bool word_offsets) {
  if (code.operation() != kBranch) return std::nullopt;
  const auto low = static_cast<std::int64_t>(code.low);
  const std::int64_t bytes =
      word_offsets ? ((low >> 34) * 256 + static_cast<std::int64_t>(code.target())) * 4 : low >> 32;
  const std::int64_t to =
      static_cast<std::int64_t>(at) + 1 + bytes / static_cast<std::int64_t>(kInstructionBytes);
  if (to < 0 || to >= static_cast<std::int64_t>(at)) return std::nullopt;
  return static_cast<std::size_t>(to);
}

std::vector<Instruction> instructions_of(std::span<const std::byte> function) {
  std::vector<Instruction> codes(function.size() / kInstructionBytes);
  for (std::size_t at = 0; at < codes.size(); ++at) {
    std::memcpy(&codes[at].low, &function[at * kInstructionBytes], sizeof codes[at].low);
    std::memcpy(&codes[at].high, &function[at * kInstructionBytes + sizeof codes[at].low],
                sizeof codes[at].high);
  }
  return codes;
}

// Goes through the code once, and through each loop once more with what its end leaves in the registers.
class Decoder {
 public:
  explicit Decoder(std::span<const Instruction> codes)
      : codes_(codes), word_offsets_(has_word_offsets(codes)), again_(kMostAgain * codes.size()) {}

  std::map<std::int64_t, InstructionCode> decode() {
    for (std::size_t at = 0; at < codes_.size(); ++at) {
      take(at);
      const auto back_to = goes_back_to(codes_[at], at, word_offsets_);
      if (!back_to || at - *back_to > again_) continue;
      again_ -= at - *back_to;
      for (std::size_t in_loop = *back_to; in_loop < at; ++in_loop) take(in_loop);
    }
    return std::move(decoded_);
  }

 private:
  // A file that is all branches must not take for ever.
  static constexpr std::size_t kMostAgain = 16;

  void take(std::size_t at) {
    const Instruction& code = codes_[at];
    if (const MemoryRow* row = memory_row(code.operation()))
      decoded_[static_cast<std::int64_t>(at * kInstructionBytes)] = code_of(code, *row, registers_);
    follow(code, registers_);
  }

  std::span<const Instruction> codes_;
  bool word_offsets_;
  std::size_t again_;
  Registers registers_;
  std::map<std::int64_t, InstructionCode> decoded_;
};

}  // namespace

std::map<std::int64_t, InstructionCode> decode_memory_code(std::span<const std::byte> function) {
  const std::vector<Instruction> codes = instructions_of(function);
  return Decoder(codes).decode();
}

}  // namespace coalescope::machine_code
