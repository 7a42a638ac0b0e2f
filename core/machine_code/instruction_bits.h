#pragma once
// The bits of a GPU's instructions since Volta. Each has 16 bytes: 0 to 8 the operation, 9 to 11 the form of
// its operands, 12 to 15 its predicate, then registers. The places are those that nvcc 13.0 fills for sm_75,
// 80, 90, 100 and 120.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coalescope::machine_code {

inline constexpr std::size_t kInstructionBytes = 16;
inline constexpr unsigned kZeroRegister = 255;
inline constexpr unsigned kAlways = 7;  // the predicate of an instruction that is always executed

// Which operand is no register of a thread; the register that it replaces takes the third one's place.
enum class Form : unsigned {
  registers = 1,
  third_immediate = 2,
  third_constant = 3,
  second_immediate = 4,
  second_constant = 5,
  second_uniform = 6,
  third_uniform = 7,
};

struct Instruction {
  std::uint64_t low = 0, high = 0;

  [[nodiscard]] unsigned operation() const { return low & 0x1ff; }
  [[nodiscard]] Form form() const { return static_cast<Form>((low >> 9) & 7); }
  [[nodiscard]] bool is_predicated() const { return ((low >> 12) & 15) != kAlways; }
  [[nodiscard]] unsigned target() const { return (low >> 16) & 255; }
  [[nodiscard]] unsigned first() const { return (low >> 24) & 255; }
  [[nodiscard]] unsigned second() const { return (low >> 32) & 255; }
  [[nodiscard]] unsigned third() const { return high & 255; }
  [[nodiscard]] unsigned size() const { return (high >> 9) & 7; }
  [[nodiscard]] unsigned special_register() const { return (high >> 8) & 255; }
  [[nodiscard]] std::int64_t offset() const { return static_cast<std::int64_t>(low) >> 40; }  // signed
  [[nodiscard]] unsigned constant_bank() const { return (low >> 54) & 31; }
  [[nodiscard]] std::int64_t constant_offset() const {
    return static_cast<std::int64_t>((low >> 38) & 0xffff);
  }
  // A branch has an operand that is a predicate, too; other forms depend on what all lanes share.
  [[nodiscard]] bool branches_always() const {
    return form() == Form::second_immediate && !is_predicated() && ((high >> 23) & 15) == kAlways;
  }
};

[[nodiscard]] std::vector<Instruction> instructions_of(std::span<const std::byte> function);

}  // namespace coalescope::machine_code
