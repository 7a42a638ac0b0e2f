#include "tool/merge.h"

#include <gtest/gtest.h>

namespace coalescope::tool {
namespace {

model::Capture capture_of(std::int64_t started_unix_ns, std::optional<std::int64_t> duration_ns) {
  model::Capture row;
  row.command = R"(["app"])";
  row.started_unix_ns = started_unix_ns;
  row.duration_ns = duration_ns;
  row.exit_status = 0;
  row.clean = true;
  return row;
}

TEST(Merge, LastsFromTheFirstBeginningToTheLastEnd) {
  const auto all = united({capture_of(2000, 100), capture_of(1500, 300), capture_of(1700, 900)});
  EXPECT_EQ(all.started_unix_ns, 1500);
  EXPECT_EQ(all.duration_ns, 1100);
  EXPECT_EQ(all.exit_status, 0);
  EXPECT_TRUE(all.clean);
  EXPECT_EQ(all.command, R"(["app"])");
}

TEST(Merge, DoesNotGuessAnEndThatWasNotSeen) {
  EXPECT_EQ(united({capture_of(2000, 100), capture_of(1500, std::nullopt)}).duration_ns, std::nullopt);
}

TEST(Merge, EndsAsTheFirstThatDidNotEndWell) {
  auto failed = capture_of(1, 1);
  failed.exit_status = 3;
  auto killed = capture_of(2, 1);
  killed.exit_status.reset();
  killed.exit_signal = 9;
  killed.clean = false;
  auto all = united({capture_of(0, 1), failed, killed});
  EXPECT_EQ(all.exit_status, 3);
  EXPECT_EQ(all.exit_signal, std::nullopt);
  EXPECT_FALSE(all.clean);
  all = united({capture_of(0, 1), killed, failed});
  EXPECT_EQ(all.exit_status, std::nullopt);
  EXPECT_EQ(all.exit_signal, 9);
}

}  // namespace
}  // namespace coalescope::tool
