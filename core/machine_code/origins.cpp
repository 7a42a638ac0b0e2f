#include "core/machine_code/origins.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/machine_code/memory_instruction.h"
#include "core/machine_code/parameters.h"

namespace coalescope::machine_code {
namespace {

// What addresses are computed with; positions in a grid may have a fraction. `first`: the first operand is a
// register; that of a MOV or a conversion is none. Of results with two registers the lower one tells.
struct ArithmeticRow {
  unsigned operation;
  bool first, third;
};
constexpr std::array kArithmeticRows{
    ArithmeticRow{0x002, false, false},  // MOV
    ArithmeticRow{0x007, true, false},   // SEL
    ArithmeticRow{0x008, true, false},   // FSEL
    ArithmeticRow{0x009, true, false},   // FMNMX
    ArithmeticRow{0x010, true, true},    // IADD3
    ArithmeticRow{0x011, true, true},    // LEA
    ArithmeticRow{0x012, true, true},    // LOP3
    ArithmeticRow{0x013, false, false},  // IABS
    ArithmeticRow{0x016, true, true},    // PRMT
    ArithmeticRow{0x017, true, false},   // IMNMX
    ArithmeticRow{0x019, true, true},    // SHF
    ArithmeticRow{0x01a, true, false},   // SGXT
    ArithmeticRow{0x020, true, false},   // FMUL
    ArithmeticRow{0x021, true, false},   // FADD
    ArithmeticRow{0x023, true, true},    // FFMA
    ArithmeticRow{0x024, true, true},    // IMAD
    ArithmeticRow{0x025, true, true},    // IMAD.WIDE
    ArithmeticRow{0x027, true, true},    // IMAD.HI
    ArithmeticRow{0x028, true, false},   // DMUL
    ArithmeticRow{0x029, true, false},   // DADD
    ArithmeticRow{0x02b, true, true},    // DFMA
    ArithmeticRow{0x030, true, false},   // HADD2
    ArithmeticRow{0x031, true, true},    // HFMA2
    ArithmeticRow{0x032, true, false},   // HMUL2
    ArithmeticRow{0x035, true, true},    // IADD.64
    ArithmeticRow{0x036, true, false},   // VIADD
    ArithmeticRow{0x045, false, false},  // I2FP
    ArithmeticRow{0x048, true, false},   // VIMNMX
    ArithmeticRow{0x100, false, false},  // FLO
    ArithmeticRow{0x101, false, false},  // BREV
    ArithmeticRow{0x104, false, false},  // F2F
    ArithmeticRow{0x105, false, false},  // F2I
    ArithmeticRow{0x106, false, false},  // I2F
    ArithmeticRow{0x107, false, false},  // FRND
    ArithmeticRow{0x108, false, false},  // MUFU
    ArithmeticRow{0x109, false, false},  // POPC
    ArithmeticRow{0x110, false, false},  // F2F of 64 bits
    ArithmeticRow{0x111, false, false},  // F2I of 64 bits
    ArithmeticRow{0x112, false, false},  // I2F of 64 bits
    ArithmeticRow{0x113, false, false},  // FRND of 64 bits
    ArithmeticRow{0x189, true, false},   // SHFL
};
constexpr unsigned kSpecialRegister = 0x119;                           // S2R
constexpr std::array<unsigned, 4> kOfTheLane{0x00, 0x21, 0x22, 0x23};  // its number, threadIdx
constexpr unsigned kClock = 0x005;                                     // CS2R
constexpr unsigned kConstants = 0x182;                                 // LDC
constexpr unsigned kUniformConstants = 0x0b9;                          // ULDC
constexpr unsigned kUniformConstantsSince100 = 0x1ac;              // LDCU, whose offset begins a bit lower
constexpr unsigned kToUniform = 0x1c2, kSpecialToUniform = 0x1c3;  // R2UR, S2UR
constexpr unsigned kFirstUniform = 0x080, kLastUniform = 0x0bf;    // what computes with uniform registers
// UISETP and UPLOP3, whose target is a predicate.
constexpr unsigned kUniformCompare = 0x08c, kUniformLogic = 0x09c;
constexpr std::int64_t kRegisterBytes = 4;

Origin word_at(std::int64_t offset, std::int64_t parameters_at) {
  const std::int64_t word = (offset - parameters_at) / kParameterWordBytes;
  if (offset < parameters_at || word >= kParameterWords) return {};
  return {.parameters = std::uint64_t{1} << static_cast<unsigned>(word)};
}

bool has_constant(const Instruction& code) {
  return (code.form() == Form::second_constant || code.form() == Form::third_constant) &&
         code.constant_bank() == 0;
}

bool has_uniform(const Instruction& code) {
  return code.form() == Form::second_uniform || code.form() == Form::third_uniform;
}

}  // namespace

void Registers::set(File& file, unsigned number, unsigned count, Origin origin, bool perhaps) {
  for (unsigned each = number; each < std::min(number + count, kZeroRegister); ++each) {
    if (!perhaps) file.at(each) = Origin();
    file.at(each) |= origin;
  }
}

bool Registers::join(const Registers& others) {
  bool is_new = false;
  const auto take = [&](File& own, const File& other) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Origin before = own.at(i);
      own.at(i) |= other.at(i);
      is_new |= own.at(i) != before;
    }
  };
  take(held_, others.held_);
  take(uniform_, others.uniform_);
  return is_new;
}

void Registers::follow_load(const Instruction& code, std::int64_t bytes, bool loads) {
  const bool by_lane = loads && at(code.first()).by_lane;
  const std::int64_t registers = (bytes + kRegisterBytes - 1) / kRegisterBytes;
  set(held_, code.target(), static_cast<unsigned>(registers), {.by_lane = by_lane, .loaded = by_lane},
      code.is_predicated());
}

// Eight bytes or more fill pairs of registers, each with a word.
void Registers::follow_constants(const Instruction& code, File& file, std::int64_t offset,
                                 std::int64_t parameters_at) {
  constexpr std::array<std::int64_t, 8> kBytes{4, 4, 4, 4, 4, 8, 16, 4};
  const bool known_place = code.first() == kZeroRegister || &file == &uniform_;
  for (std::int64_t byte = 0; byte < kBytes.at(code.size()); byte += kRegisterBytes)
    set(file, code.target() + static_cast<unsigned>(byte / kRegisterBytes), 1,
        known_place && code.constant_bank() == 0 ? word_at(offset + byte, parameters_at) : Origin(),
        code.is_predicated());
}

void Registers::follow_uniform(const Instruction& code, std::int64_t parameters_at) {
  Origin origin = uniform(code.first());
  if (code.form() != Form::second_immediate && code.form() != Form::third_immediate && !has_constant(code))
    origin |= uniform(code.second());
  origin |= uniform(code.third());
  if (has_constant(code)) origin |= word_at(code.constant_offset(), parameters_at);
  set(uniform_, code.target(), 1, origin, code.is_predicated());
}

void Registers::follow(const Instruction& code, std::int64_t parameters_at) {
  const unsigned operation = code.operation();
  if (const auto memory = memory_instruction(code)) {
    if (memory->writes_target) follow_load(code, memory->bytes.value_or(kRegisterBytes), memory->loads);
    return;
  }
  const auto* arithmetic = std::ranges::find(kArithmeticRows, operation, &ArithmeticRow::operation);
  if (arithmetic != kArithmeticRows.end()) {
    Origin origin;
    if (arithmetic->first) origin |= at(code.first());
    if (code.form() == Form::registers) origin |= at(code.second());
    if (arithmetic->third) origin |= at(code.third());
    if (has_uniform(code)) origin |= uniform(code.second());
    if (has_constant(code)) origin |= word_at(code.constant_offset(), parameters_at);
    return set(held_, code.target(), 1, origin, code.is_predicated());
  }
  switch (operation) {
    case kSpecialRegister: {
      const bool by_lane = std::ranges::find(kOfTheLane, code.special_register()) != kOfTheLane.end();
      return set(held_, code.target(), 1, {.by_lane = by_lane}, code.is_predicated());
    }
    case kClock:
      return set(held_, code.target(), 1, {}, code.is_predicated());
    case kConstants:
      return follow_constants(code, held_, code.constant_offset(), parameters_at);
    case kUniformConstants:
      return follow_constants(code, uniform_, code.constant_offset(), parameters_at);
    case kUniformConstantsSince100:
      return follow_constants(code, uniform_, 2 * code.constant_offset(), parameters_at);
    case kToUniform:
      return set(uniform_, code.target(), 1, {.parameters = at(code.first()).parameters},
                 code.is_predicated());
    case kSpecialToUniform:
      return set(uniform_, code.target(), 1, {}, code.is_predicated());
    case kUniformCompare:
    case kUniformLogic:
      return;
    default:
      if (operation >= kFirstUniform && operation <= kLastUniform) follow_uniform(code, parameters_at);
  }
}

}  // namespace coalescope::machine_code
