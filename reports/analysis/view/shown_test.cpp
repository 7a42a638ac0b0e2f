#include "reports/analysis/view/shown.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

TEST(Shortened, KeepsWholeCharacters) {
  EXPECT_EQ(shortened("copy", 4), "copy");
  EXPECT_EQ(shortened("copy_all", 4), "cop…");
  EXPECT_EQ(shortened("ääää", 3), "ää…");
}

}  // namespace
}  // namespace coalescope::analysis
