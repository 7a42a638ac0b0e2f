#include "injection/recorder/wait_log.h"

#include "injection/recorder/part_file_test.h"

namespace coalescope::recorder {
namespace {

using Kind = model::SynchronizationKind;
using WaitLogTest = PartFileTest;

model::Synchronization wait_of(Kind kind, std::int64_t wait_ns) {
  model::Synchronization wait;
  wait.kind = kind;
  wait.wait_ns = wait_ns;
  return wait;
}

TEST_F(WaitLogTest, OnlyCallsThatWaitedAreListed) {
  WaitLog log;
  for (const std::int64_t ns : {500, 9'999, 10'000, 3'000'000}) log.add(wait_of(Kind::stream, ns));
  log.write(*file_, diagnostics_);
  log.add(wait_of(Kind::context, 20'000));
  log.write(*file_, diagnostics_);
  const auto listed = written<model::Synchronization>();
  ASSERT_EQ(listed.size(), 3U);
  EXPECT_EQ(listed[2].kind, Kind::context);
  const auto totals = written<model::SynchronizationTotal>();
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_EQ(totals[0].calls, 4);
  EXPECT_EQ(totals[0].listed, 2);
  EXPECT_EQ(totals[0].wait_ns, 3'020'499);
}

TEST_F(WaitLogTest, ALongRunListsSoManyAndSaysSo) {
  WaitLog log(500);
  for (int i = 0; i < 503; ++i) log.add(wait_of(Kind::event, 10'000));
  log.write(*file_, diagnostics_);
  const auto totals = written<model::SynchronizationTotal>();
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].calls, 503);
  EXPECT_EQ(totals[0].listed, 500);
  const auto remarks = diagnostics_.take_changed();
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].code, "waits_dropped");
  EXPECT_EQ(remarks[0].count, 3);
}

}  // namespace
}  // namespace coalescope::recorder
