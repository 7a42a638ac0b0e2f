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

TEST(AskHelper, ReadsWhatWasSaid) {
  const auto answer = ask_helper("/bin/sh", {"-c", "echo out; echo err >&2; exit 4"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->output, "out\n");
  EXPECT_EQ(answer->errors, "err\n");
  EXPECT_EQ(answer->status, 4);
}

TEST(AskHelper, TheProgramLearnsItsPath) {
  const auto answer = ask_helper("/bin/sh", {"-c", "tr '\\0' '\\n' </proc/$$/cmdline | head -n 1"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->output, "/bin/sh\n");
}

TEST(AskHelper, EndsWhatTakesTooLong) {
  const auto began = std::chrono::steady_clock::now();
  for (const char* script : {"echo first; exec sleep 60", "exec sleep 60 >&- 2>&-"}) {
    const auto answer = ask_helper("/bin/sh", {"-c", script}, std::chrono::milliseconds(200));
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->timed_out);
    EXPECT_EQ(why_not_done(*answer), "did not end in time");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

}  // namespace
}  // namespace coalescope::tool
