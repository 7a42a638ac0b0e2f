#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;
using test::cannot_judge;
using test::finds;
using test::finds_nothing;

TEST(T02, FiresOnSmallSetsInARow) {
  Machine machine;
  machine.dram = Ceiling{"DRAM", 4e12, "a test"};
  TransferRow row = test::copy(Direction::set, MemoryKind::device, 1000, 1 << 20, 1'000'000);
  EXPECT_TRUE(finds_nothing(kSmallSets, {row, machine})) << "kernels come between";
  row.in_a_row = 0.95;
  EXPECT_TRUE(finds(kSmallSets, {row, machine}));
  EXPECT_EQ(kSmallSets.assess({row, machine}).cost.lost_ns, 737'118) << "262 ns each are for the bytes";
  EXPECT_TRUE(cannot_judge(kSmallSets, {row, Machine()}));
  row.bytes *= 4;
  EXPECT_TRUE(finds_nothing(kSmallSets, {row, machine})) << "the bytes take most of the time";
  row.bytes /= 4;
  row.direction = Direction::device_to_device;
  EXPECT_TRUE(finds_nothing(kSmallSets, {row, machine}));
}

}  // namespace
}  // namespace coalescope::analysis
