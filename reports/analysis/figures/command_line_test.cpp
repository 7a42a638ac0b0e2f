#include "reports/analysis/figures/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using testing::ElementsAre;

TEST(CommandLine, ComesOutOfItsArray) {
  EXPECT_THAT(decode_command(R"(["./a b","--x=\"1\""])"), ElementsAre("./a b", "--x=\"1\""));
  EXPECT_THAT(decode_command("[]"), testing::IsEmpty());
  EXPECT_THAT(decode_command("not json"), ElementsAre("not json"));
}

}  // namespace
}  // namespace coalescope::analysis
