// The recorder keeps no descriptor in the target, asks for none of its limits, and can be killed beside it.

#include <gtest/gtest.h>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

// A program that closes what it did not open, and then opens files under the numbers that became free.
TEST(Descriptors, TheProgramsFilesHoldWhatItWrote) {
  const auto recorded = record(R"(
kernel a
kernel b
module extra {
  kernel c
}
launch a times=10
files 1000 {
  launch a times=2
  launch b growing
  copy to_device
  sleep ms=1
}
load extra
launch c times=30
)");
  expect_exact(recorded);
  EXPECT_EQ(recorded.under.out.find("0 files were changed by others"), 0U) << recorded.under.out;
}

TEST(Descriptors, NoMomentIsTheWrongOne) {
  const auto recorded = record(R"(
kernel a
module extra {
  kernel c
}
sync
files_beside 1000 {
  repeat 40 {
    launch a growing times=20
    load extra
    unload extra
    sleep ms=20
  }
}
)");
  expect_exact(recorded);
  EXPECT_EQ(recorded.under.out.find("0 files were changed by others"), 0U) << recorded.under.out;
}

TEST(Descriptors, AProgramThatMayOpenAndWriteNothingIsRecorded) {
  const auto recorded = record(R"(
kernel a
module extra {
  kernel c
}
limit file_bytes=0
launch a times=10
limit files=0
launch a times=40
load extra
launch c times=40
limit none
)");
  expect_exact(recorded);
}

TEST(Descriptors, AProgramWithoutRoomForUsRunsUnrecorded) {
  const auto recorded = record("kernel a\nlimit more_memory=15000000\nlaunch a times=40\n");
  expect_unharmed(recorded);
  EXPECT_TRUE(recorded.says("not_recorded")) << recorded.diagnostics_text();
  EXPECT_TRUE(recorded.rows.processes.empty());
}

// On another machine the number of the shared memory is nobody's, or another's.
TEST(Descriptors, AProcessOutOfReachSaysThatItIsNotRecorded) {
  for (const char* ring : {"2147483647:0", "0:0", "nonsense"}) {
    const auto recorded = record(std::string("kernel a\nset COALESCOPE_RING=") + ring +
                                 "\nlaunch a times=40\nexit return status=3\n");
    expect_unharmed(recorded);
    EXPECT_TRUE(recorded.says("not_recorded")) << recorded.diagnostics_text();
    EXPECT_TRUE(recorded.says("player")) << "it is named: " << recorded.diagnostics_text();
    EXPECT_FALSE(recorded.says("no_cuda")) << recorded.diagnostics_text();
  }
}

TEST(Descriptors, KillingTheWriterCostsTheRecordingAlone) {
  const auto recorded = record(R"(
kernel a
kernel b
launch a times=400
sleep ms=4000
kill coalescope-part
threads 4 {
  launch b growing times=2000
}
module extra {
  kernel c
}
load extra
launch c times=100
exit return status=5
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_all_but_the_last_buffer(recorded, "a", 400);
  EXPECT_TRUE(recorded.says("writer_ended")) << recorded.diagnostics_text();
  EXPECT_FALSE(recorded.says("no_orderly_end")) << recorded.diagnostics_text();
  EXPECT_FALSE(recorded.rows.capture.clean);
}

}  // namespace
}  // namespace standin
