// However a program ends, and whatever it forks: its end is its own, and what was recorded is in the capture.

#include <gtest/gtest.h>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

using coalescope::model::Phase;

constexpr const char* kWork = R"(
kernel a
launch a times=40
copy to_device
)";
// Longer than the recorder takes to commit what has come.
constexpr const char* kPause = "sleep ms=1300\n";

TEST(Endings, AnOrderlyExitLosesNothing) {
  for (const char* end : {"", "exit return status=3", "sync\nexit return status=250"})
    expect_exact(record(std::string(kWork) + end + '\n'));
}

TEST(Endings, ASuddenOneKeepsWhatWasCommitted) {
  for (const char* end : {"_exit status=4", "abort", "kill"}) {
    SCOPED_TRACE(end);
    const auto recorded =
        record("kernel a\nlaunch a times=400\n" + std::string(kPause) + "exit " + end + '\n');
    expect_unharmed(recorded);
    expect_no_wrong_number(recorded);
    expect_all_but_the_last_buffer(recorded, "a", 400);
    EXPECT_FALSE(recorded.rows.capture.clean);
    EXPECT_TRUE(recorded.says("no_orderly_end")) << recorded.diagnostics_text();
  }
}

// What was measured is sent at once: it need not be written for the program to be killed.
TEST(Endings, ASuddenOneKeepsWhatWasSent) {
  const auto recorded = record("kernel a\nlaunch a times=40\nsleep ms=150\nexit kill\n");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_FALSE(recorded.rows.windows.empty());
  EXPECT_FALSE(recorded.rows.readings.empty());
}

TEST(Endings, ASuddenOneInTheMidstOfAWindow) {
  for (const int launches : {1, 2, 3, 7}) {
    const auto recorded = record("kernel a\nlaunch a times=" + std::to_string(launches) + "\nexit kill\n");
    expect_unharmed(recorded);
    expect_no_wrong_number(recorded);
    EXPECT_TRUE(recorded.says("no_orderly_end"));
  }
}

TEST(Endings, ThreadsGoOnWhileTheProgramEnds) {
  const auto recorded = record(R"(
kernel a
kernel b
launch a times=10
threads 4 left {
  launch b times=100000
}
sleep ms=30
exit return status=7
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_EQ(recorded.launches_of("a"), 10);
}

// The recorder waits for the GPU in a callback, which is a cancellation point.
TEST(Endings, AThreadIsCancelledInsideOfACallback) {
  const auto recorded = record(R"(
kernel a
stall cuEventQuery ms=1
cancelled {
  launch a times=20
}
launch a times=20
)");
  expect_exact(recorded);
}

TEST(Endings, AContextEndsBeforeTheProgramDoes) {
  const auto recorded = record(std::string(kWork) + "sync\ndestroy first\nexit return status=2\n");
  expect_exact(recorded);
}

TEST(Endings, AChildThatIsForkedLaterHasNoCuda) {
  for (const char* how : {"", "exits"}) {
    SCOPED_TRACE(how);
    const auto recorded = record(std::string(kWork) + "fork " + how + R"( {
  launch a
  sync
}
launch a times=20
)");
    expect_exact(recorded);
    EXPECT_EQ(recorded.rows.processes.size(), 1U);
  }
}

TEST(Endings, ChildrenAreForkedWhileThreadsLaunch) {
  const auto recorded = record(R"(
kernel a
kernel b
threads 3 left {
  launch b times=300
}
repeat 10 {
  fork exits {
    launch a
  }
  launch a times=4
}
sleep ms=200
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
}

TEST(Endings, AChildThatIsForkedBeforeCudaIsRecordedToo) {
  const auto recorded = record(R"(
kernel a
kernel b
fork exits {
  launch b times=30
}
launch a times=30
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_EQ(recorded.rows.processes.size(), 2U);
  EXPECT_EQ(recorded.launches_of("a"), 30);
  EXPECT_EQ(recorded.launches_of("b"), 30);
  EXPECT_TRUE(recorded.rows.capture.clean) << recorded.diagnostics_text();
}

// By then the recording has ended, and no callback tells of it.
TEST(Endings, AContextEndsInAnExitHandler) {
  const auto recorded = record("kernel a\ncopy to_device\nat_exit {\n destroy first\n}\nlaunch a times=40\n");
  expect_exact(recorded);
  expect_all_phases(recorded, "a");
}

// Another thread waits for its kernel meanwhile.
TEST(Endings, AKernelHasNoEnd) {
  const auto recorded = record(R"(
kernel a
threads 1 left {
  launch a waits times=3
}
sleep ms=300
exit return status=7
)");
  expect_unharmed(recorded);
  EXPECT_TRUE(recorded.says("waited_in_vain")) << recorded.diagnostics_text();
}

// It waits for what the program does next: to wait for it in a callback is to wait for ever.
TEST(Endings, KernelsWaitForTheHost) {
  const auto recorded = record(R"(
kernel waits
kernel a
kernel b
launch a times=20
repeat 3 {
  launch waits waits
  launch a times=5
  launch b times=5
  answer
  sync
  launch b times=20
  sleep ms=120
}
launch a times=20
sync
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_TRUE(recorded.says("waited_in_vain")) << recorded.diagnostics_text();
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits})
    EXPECT_GT(recorded.measured("a", phase), 0) << coalescope::model::name_of(phase);
}

// Each phase alone meets it in its own way.
TEST(Endings, AKernelWaitsForTheHostWhileItIsMeasured) {
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic}) {
    const std::string name(coalescope::model::name_of(phase));
    SCOPED_TRACE(name);
    const auto recorded = record(R"(
kernel waits
kernel a
launch a times=3
sync
launch waits waits
launch a times=5
answer
sync
sleep ms=900
launch a times=5
sync
)",
                                 {"--budget", "none", "--only", name});
    expect_unharmed(recorded);
    expect_no_wrong_number(recorded);
    EXPECT_GE(recorded.launches_of("a"), 3 + 5) << "those that ran beside it have no records";
    EXPECT_TRUE(recorded.says("waited_in_vain")) << recorded.diagnostics_text();
    EXPECT_EQ(recorded.measured("waits", phase), 0);
  }
}

TEST(Endings, TheProgramEndsWhileAKernelWaits) {
  for (const char* how : {"exit return status=3", "exit _exit status=3", "destroy first"}) {
    SCOPED_TRACE(how);
    const auto recorded = record(
        std::string("kernel waits\nkernel a\nlaunch a times=40\nsync\nlaunch waits waits\nlaunch a\n") + how +
        "\n");
    expect_unharmed(recorded);
    expect_no_wrong_number(recorded);
  }
}

// NVTX has brought the library into the parent, where nothing is recorded.
TEST(Endings, AChildThatIsForkedAfterNvtxIsRecordedToo) {
  const auto recorded = record(R"(
kernel b
range other {
}
fork exits {
  launch b times=5
  range work {
    launch b times=30
  }
  profile {
    launch b times=3
    sync
  }
}
)",
                               {"--budget", "none", "--range", "work"});
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_NE(recorded.alone.out.find("subscribed: 0"), std::string::npos) << recorded.alone.out;
  expect_all_phases(recorded, "b");
  EXPECT_TRUE(recorded.says("cupti_in_use")) << recorded.diagnostics_text();
}

}  // namespace
}  // namespace standin
