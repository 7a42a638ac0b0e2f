#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;
using test::finds;
using test::finds_nothing;

TEST(F03, FiresWhereAPartOfEachCopyIsChanged) {
  TransferRow row = test::copy(Direction::device_to_device, MemoryKind::device, 1000, 1 << 20, 1'000'000);
  EXPECT_TRUE(finds_nothing(kCopiesToChange, {row, Machine()}));
  row.changed_by = 3;
  EXPECT_TRUE(finds(kCopiesToChange, {row, Machine()}));
  EXPECT_EQ(kCopiesToChange.assess({row, Machine()}).cost.lost_ns, row.gpu_ns);
  row.transfers = 1;
  EXPECT_TRUE(finds_nothing(kCopiesToChange, {row, Machine()})) << "once is how programs begin";
}

}  // namespace
}  // namespace coalescope::analysis
