#include "tool/helper.h"

#include <gtest/gtest.h>

namespace coalescope::tool {
namespace {

std::string error_of(const std::string& script) {
  const auto result = run_helper("/bin/sh", {"-c", script});
  return result ? "" : result.error().message;
}

TEST(RunHelper, IsContentWithStatusZero) {
  EXPECT_EQ(error_of("echo talk >&2; exit 0"), "");
}

TEST(RunHelper, PassesOnTheLastLineOfAFailure) {
  EXPECT_EQ(error_of("echo first >&2; echo the reason >&2; exit 1"), "the reason");
}

TEST(RunHelper, TakesOurOwnPrefixAway) {
  EXPECT_EQ(error_of("echo 'coalescope: error: the reason' >&2; exit 1"), "the reason");
}

TEST(RunHelper, SaysHowASilentFailureEnded) {
  EXPECT_EQ(error_of("exit 3"), "'sh' ended with status 3");
  EXPECT_EQ(error_of("kill -9 $$"), "'sh' was ended by signal 9");
}

TEST(RunHelper, SurvivesAFlood) {
  EXPECT_EQ(error_of("yes | head -c 1000000 >&2; exit 0"), "");
}

TEST(RunHelper, SaysThatTheProgramIsMissing) {
  const auto result = run_helper("/no/such/helper", {});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "cannot run 'helper': No such file or directory");
}

}  // namespace
}  // namespace coalescope::tool
