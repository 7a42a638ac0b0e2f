// What single instructions leave in the registers.
#include "core/machine_code/origins.h"

#include <gtest/gtest.h>

namespace coalescope::machine_code {
namespace {

constexpr std::int64_t kParametersAt = 0x160;
constexpr std::uint64_t kUldc = 0x0b9, kUisetp = 0x08c, kMov = 0x002, kLdc = 0x182;
constexpr std::uint64_t kEightBytes = 5;

Instruction made(std::uint64_t operation, Form form, std::uint64_t target, std::uint64_t first,
                 std::uint64_t rest, std::uint64_t size = 0) {
  return {operation | static_cast<std::uint64_t>(form) << 9 | std::uint64_t{kAlways} << 12 | target << 16 |
              first << 24 | rest,
          size << 9};
}

std::uint64_t constant(std::uint64_t offset) {
  return offset << 38;
}

TEST(Registers, HoldAWordOfTheParametersInEachPair) {
  Registers registers;
  registers.follow(made(kLdc, Form::second_constant, 4, kZeroRegister, constant(0x168), kEightBytes),
                   kParametersAt);
  EXPECT_EQ(registers.at(4).parameters, 2U);
  EXPECT_EQ(registers.at(5).parameters, 2U);
  EXPECT_EQ(registers.at(6).parameters, 0U);
  registers.follow(made(kLdc, Form::second_constant, 4, 7, constant(0x168)), kParametersAt);
  EXPECT_EQ(registers.at(4).parameters, 0U) << "a register says where";
  registers.follow(made(kMov, Form::second_constant, 4, 0, constant(0x28)), kParametersAt);
  EXPECT_EQ(registers.at(4).parameters, 0U) << "no parameter: the size of the grid";
}

// The field of the target says which predicate it is.
TEST(Registers, KeepWhatAComparisonLeavesAlone) {
  Registers registers;
  registers.follow(made(kUldc, Form::second_constant, 0, 0, constant(0x160), kEightBytes), kParametersAt);
  registers.follow(made(kUldc, Form::second_constant, 5, 0, constant(0x170)), kParametersAt);
  registers.follow(made(kUisetp, Form::registers, 0, 5, std::uint64_t{6} << 32), kParametersAt);
  EXPECT_EQ(registers.uniform(0).parameters, 1U);
  registers.follow(made(kMov, Form::second_uniform, 2, 0, 0), kParametersAt);
  EXPECT_EQ(registers.at(2).parameters, 1U);
}

TEST(Registers, HoldWhatTheyMayHoldWhereWaysMeet) {
  Registers one, other;
  one.follow(made(kMov, Form::second_constant, 3, 0, constant(0x160)), kParametersAt);
  other.follow(made(kMov, Form::second_constant, 3, 0, constant(0x168)), kParametersAt);
  EXPECT_TRUE(one.join(other));
  EXPECT_EQ(one.at(3).parameters, 3U);
  EXPECT_FALSE(one.join(other));
}

}  // namespace
}  // namespace coalescope::machine_code
