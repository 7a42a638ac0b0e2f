#include "reports/analysis/view/shown.h"

#include <gtest/gtest.h>

#include "reports/analysis/view/columns.h"

namespace coalescope::analysis {
namespace {

TEST(Shortened, KeepsWholeCharacters) {
  EXPECT_EQ(shortened("copy", 4), "copy");
  EXPECT_EQ(shortened("copy_all", 4), "cop…");
  EXPECT_EQ(shortened("ääää", 3), "ää…");
}

TEST(Shown, AKernelWithoutLoadsSaysWhetherTmaMovesItsData) {
  const auto columns = columns_of<KernelRow>("load.degree");
  KernelRow row;
  row.bytes_samples = {1, 10};
  row.load.sectors = 0;
  EXPECT_EQ(columns[0].shown(row).text, "none");
  row.tma_instructions = 12;
  EXPECT_EQ(columns[0].shown(row).text, "TMA");
  EXPECT_EQ(columns[0].shown(row).state, Shown::State::none);
  row.load.sectors.reset();
  EXPECT_EQ(columns[0].shown(row).text, "n/m");
}

TEST(ExactCount, OneHasASingularUnit) {
  EXPECT_EQ(exact_count(1, "windows"), "1 window");
  EXPECT_EQ(exact_count(1, "launches"), "1 launch");
  EXPECT_EQ(exact_count(1, "copies"), "1 copy");
  EXPECT_EQ(exact_count(1, "ns"), "1 ns");
  EXPECT_EQ(exact_count(2, "windows"), "2 windows");
  EXPECT_EQ(exact_count(1, ""), "1");
}

}  // namespace
}  // namespace coalescope::analysis
