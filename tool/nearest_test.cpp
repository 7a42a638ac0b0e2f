#include "tool/nearest.h"

#include <array>
#include <gtest/gtest.h>

namespace coalescope::tool {
namespace {

const std::array<std::string, 3> kWords{"record", "report", "calibrate"};

TEST(Nearest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearest("reprot", kWords), "report");  // two letters swapped
  EXPECT_EQ(nearest("recrd", kWords), "record");   // one missing
  EXPECT_EQ(nearest("callibrate", kWords), "calibrate");
  EXPECT_EQ(nearest("reports", kWords), "report");
}

TEST(Nearest, KeepsQuietAboutOtherPrograms) {
  EXPECT_EQ(nearest("python3", kWords), std::nullopt);
  EXPECT_EQ(nearest("ls", kWords), std::nullopt);
  EXPECT_EQ(nearest("", kWords), std::nullopt);
}

TEST(Nearest, TakesTheFirstOfEquallyNearWords) {
  EXPECT_EQ(nearest("repord", kWords), "record");
}

}  // namespace
}  // namespace coalescope::tool
