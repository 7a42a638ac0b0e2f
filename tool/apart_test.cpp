#include "tool/apart.h"

#include <csignal>
#include <gtest/gtest.h>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>

namespace coalescope::tool {
namespace {

TEST(RunApart, ReturnsTheAnswerOfAnotherProcess) {
  const auto answer = run_apart([] { return std::to_string(::getpid()); });
  ASSERT_TRUE(answer.has_value());
  EXPECT_NE(*answer, std::to_string(::getpid()));
}

TEST(RunApart, SurvivesWhatEndsTheWork) {
  const auto answer = run_apart([]() -> std::string {
    ::raise(SIGKILL);
    return "never";
  });
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().text(), "signal 9 ended it");
}

TEST(RunApart, SurvivesAnException) {
  testing::internal::CaptureStderr();
  const auto answer = run_apart([]() -> std::string { throw std::runtime_error("too much"); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "coalescope: fatal: too much\n");
  EXPECT_FALSE(answer.has_value());
}

TEST(RunApart, WorksHereWhereThereIsNoRoomForAProcess) {
  EXPECT_EXIT(
      {
        // Too little for what is shared, and no hindrance to the rest.
        const rlimit none{};
        ::setrlimit(RLIMIT_AS, &none);
        const auto answer = run_apart([] { return std::string("h"); });
        ::_exit(answer == std::string("h") ? 7 : 1);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace coalescope::tool
