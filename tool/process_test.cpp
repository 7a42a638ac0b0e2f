#include "tool/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace coalescope::tool {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::string> environment_from(std::vector<const char*> inherited, const Settings& settings) {
  inherited.push_back(nullptr);
  return target_environment(const_cast<char* const*>(inherited.data()), settings, "/lib/ours.so");
}

TEST(TargetEnvironment, AddsTheLibraryAndTheSettings) {
  EXPECT_THAT(
      environment_from({"A=1", "EMPTY=", "EQUALS=a=b"}, {{"COALESCOPE_X", "y"}}),
      UnorderedElementsAre("A=1", "EMPTY=", "EQUALS=a=b", "LD_PRELOAD=/lib/ours.so", "COALESCOPE_X=y"));
}

TEST(TargetEnvironment, KeepsOtherPreloadsBeforeOurs) {
  EXPECT_THAT(environment_from({"LD_PRELOAD=/a.so:/b.so"}, {}),
              ElementsAre("LD_PRELOAD=/a.so:/b.so:/lib/ours.so"));
}

TEST(TargetEnvironment, PreloadsOnceUnderAnotherCoalescope) {
  EXPECT_THAT(environment_from({"LD_PRELOAD=/a.so:/lib/ours.so"}, {}),
              ElementsAre("LD_PRELOAD=/a.so:/lib/ours.so"));
}

TEST(TargetEnvironment, ReplacesSettingsOfAnOuterRun) {
  EXPECT_THAT(environment_from({"COALESCOPE_X=outer"}, {{"COALESCOPE_X", "inner"}}),
              ElementsAre("LD_PRELOAD=/lib/ours.so", "COALESCOPE_X=inner"));
}

TEST(TargetEnvironment, TakesAnEmptyPreloadForNone) {
  EXPECT_THAT(environment_from({"LD_PRELOAD="}, {}), ElementsAre("LD_PRELOAD=/lib/ours.so"));
}

base::Result<Ending> run_script(const std::string& script) {
  const Inheritance inheritance;
  return run_target({"/bin/sh", {"sh", "-c", script}, {"PATH=/usr/bin:/bin"}}, inheritance);
}

TEST(RunTarget, ReturnsTheStatus) {
  const auto ending = run_script("exit 42");
  ASSERT_TRUE(ending.has_value());
  EXPECT_EQ(ending->exit_status, 42);
  EXPECT_EQ(ending->signal, std::nullopt);
}

TEST(RunTarget, ReturnsTheSignal) {
  const auto ending = run_script("kill -9 $$");
  ASSERT_TRUE(ending.has_value());
  EXPECT_EQ(ending->exit_status, std::nullopt);
  EXPECT_EQ(ending->signal, SIGKILL);
}

TEST(RunTarget, MeasuresTheDuration) {
  const auto ending = run_script("sleep 0.05");
  ASSERT_TRUE(ending.has_value());
  EXPECT_GE(ending->duration, std::chrono::milliseconds(50));
}

// A process that sends us the signal once the target runs.
pid_t send_soon(int signal) {
  const pid_t sender = ::fork();
  if (sender == 0) {
    ::usleep(200'000);
    ::kill(::getppid(), signal);
    ::_exit(0);
  }
  return sender;
}

TEST(RunTarget, PassesOnASignalThatWasSentToUsAlone) {
  const Inheritance inheritance;
  const pid_t sender = send_soon(SIGTERM);
  const auto ending = run_target(
      {"/bin/sh", {"sh", "-c", "trap 'exit 7' TERM; while :; do sleep 0.02; done"}, {}}, inheritance);
  ::waitpid(sender, nullptr, 0);
  ASSERT_TRUE(ending.has_value());
  EXPECT_EQ(ending->exit_status, 7);
}

TEST(RunTarget, GivesTheTargetTheCallersSignalMask) {
  const auto ending = run_script("test $(awk '/^SigBlk/ {print $2}' /proc/self/status) = 0000000000000000");
  ASSERT_TRUE(ending.has_value());
  EXPECT_EQ(ending->exit_status, 0);
}

TEST(RunTarget, ResumesATargetWhenItIsContinued) {
  const Inheritance inheritance;
  const pid_t sender = send_soon(SIGCONT);
  const auto ending = run_target({"/bin/sh", {"sh", "-c", "kill -STOP $$; exit 5"}, {}}, inheritance);
  ::waitpid(sender, nullptr, 0);
  ASSERT_TRUE(ending.has_value());
  EXPECT_EQ(ending->exit_status, 5);
}

TEST(RunTarget, SaysWhyAProgramCannotBeStarted) {
  const Inheritance inheritance;
  const auto missing = run_target({"/no/such/program", {"program"}, {}}, inheritance);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, base::ErrorCode::not_found);
  const auto folder = run_target({"/tmp", {"tmp"}, {}}, inheritance);
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().code, base::ErrorCode::not_permitted);
}

TEST(EndLike, DiesByTheSameSignalWithoutACoreFile) {
  EXPECT_EXIT(
      end_like({.exit_status = {}, .signal = SIGSEGV, .duration = {}}),
      [](int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV && !WCOREDUMP(status); },
      "");
  EXPECT_EXIT(end_like({.exit_status = 9, .signal = {}, .duration = {}}), testing::ExitedWithCode(9), "");
}

}  // namespace
}  // namespace coalescope::tool
