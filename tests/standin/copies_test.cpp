// Copies between host and device, played without a fault: each is in the capture, with what it moved.

#include <gtest/gtest.h>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

using coalescope::model::Direction;
using coalescope::model::MemoryKind;

TEST(Copies, AreRecorded) {
  const auto recorded = record(R"(
kernel a
copy to_device bytes=8192 times=3
launch a times=5
copy to_host bytes=100
)");
  expect_exact(recorded);
  ASSERT_EQ(recorded.rows.transfers.size(), 4U);
  for (const auto& transfer : recorded.rows.transfers) {
    const bool to_device = transfer.direction == Direction::host_to_device;
    EXPECT_EQ(transfer.bytes, to_device ? 8192 : 100);
    EXPECT_EQ(transfer.source_memory, to_device ? MemoryKind::pageable : MemoryKind::device);
    EXPECT_EQ(transfer.destination_memory, to_device ? MemoryKind::device : MemoryKind::pinned);
    EXPECT_EQ(transfer.asynchronous, !to_device);
  }
}

TEST(Copies, SetsSayWhatTheySet) {
  const auto recorded = record(R"(
kernel a
set_memory address=65536 bytes=8192 times=2
launch a
copy to_host bytes=64
)");
  expect_exact(recorded);
  ASSERT_EQ(recorded.rows.transfers.size(), 3U);
  for (const auto& transfer : recorded.rows.transfers) {
    const bool is_set = transfer.direction == Direction::set;
    EXPECT_EQ(transfer.bytes, is_set ? 8192 : 64);
    EXPECT_EQ(transfer.address, is_set ? std::optional(65'536) : std::nullopt);
    EXPECT_TRUE(transfer.call_site_id);
  }
}

TEST(Copies, FromTheHostSayWhereTheyGo) {
  const auto recorded = record(R"(
kernel a
launch a
copy to_device bytes=64 to=65536
)");
  expect_exact(recorded);
  ASSERT_EQ(recorded.rows.transfers.size(), 1U);
  EXPECT_EQ(recorded.rows.transfers[0].direction, Direction::host_to_device);
  EXPECT_EQ(recorded.rows.transfers[0].address, 65'536);
}

TEST(Copies, WithinTheDeviceSayWhatTheyRead) {
  const auto recorded = record(R"(
kernel a
launch a
copy from=65536 bytes=8192 times=2
)");
  expect_exact(recorded);
  ASSERT_EQ(recorded.rows.transfers.size(), 2U);
  for (const auto& transfer : recorded.rows.transfers) {
    EXPECT_EQ(transfer.direction, Direction::device_to_device);
    EXPECT_EQ(transfer.bytes, 8192);
    EXPECT_EQ(transfer.address, 65'536);
  }
}

// CUPTI crashes where records of kernels are switched on or off while another thread asks for a memory set:
// around launches that are measured, and where a long run is sampled.
TEST(Copies, SetsOfOtherThreadsMeetNoSwitch) {
  const std::string script = R"(
kernel a
kernel b
kernel c
threads 4 {
  repeat 20 {
    set_memory bytes=8192 times=10
    launch a
    set_memory bytes=8192 times=10
    launch b grid=3
    set_memory bytes=8192 times=10
    launch c grid=7
  }
}
)";
  expect_exact(record(script, {"--budget", "none"}));
  expect_unharmed(record(script, {"--trace", "100"}));
}

TEST(Copies, ThatKeepTheirCallerAreWaits) {
  const auto recorded = record(R"(
kernel a
launch a
copy to_device bytes=2000000 times=3
)");
  expect_exact(recorded);
  ASSERT_EQ(recorded.rows.waits.size(), 1U);
  EXPECT_EQ(recorded.rows.waits.front().kind, coalescope::model::SynchronizationKind::copy);
  EXPECT_EQ(recorded.rows.waits.front().calls, 3);
  EXPECT_GE(recorded.rows.waits.front().wait_ns, 6'000'000);
}

TEST(Copies, ThatMoveTheSameBytesAreTold) {
  const auto recorded = record(R"(
kernel a
launch a
copy to_device bytes=8192 times=7 same
copy to_device bytes=40000 times=3 same
copy to_device bytes=64 times=7
copy to_host bytes=100 times=3
)");
  ASSERT_EQ(recorded.rows.transfer_sites.size(), 4U);
  for (const auto& site : recorded.rows.transfer_sites) {
    const bool same = site.bytes == 7 * 8192 || site.bytes == 3 * 40'000;
    const bool to_device = site.direction == Direction::host_to_device;
    EXPECT_EQ(site.compared, to_device ? std::optional(site.transfers - 1) : std::nullopt) << site.bytes;
    EXPECT_EQ(site.repeated.value_or(-1), to_device ? (same ? site.transfers - 1 : 0) : -1) << site.bytes;
  }
}

TEST(Copies, ThatAreNotAskedForByAKnownCallAreNotCompared) {
  const auto recorded = record(R"(
kernel a
launch a
copy to_device bytes=8192 times=7 same
)",
                               {"--stacks", "none"});
  EXPECT_TRUE(recorded.rows.transfer_sites.empty());
  EXPECT_EQ(recorded.rows.transfers.size(), 7U);
}

// In which 40 copies to the device have records, and 30 have none.
Recorded record_long_run(const std::string& more) {
  return record(R"(
kernel a
copy to_device bytes=8192 times=40
launch a times=300
sleep ms=2000
copy to_device bytes=8192 times=30
)" + more,
                {"--trace", "100", "--only", "trace"});
}

TEST(Copies, OfALongRunEachCopyIsListedOrCounted) {
  const auto recorded = record_long_run("");
  expect_unharmed(recorded);
  std::int64_t timed = std::ssize(recorded.rows.transfers), counted = 0;
  for (const auto& total : recorded.rows.transfer_totals) (total.timed ? timed : counted) += total.transfers;
  EXPECT_EQ(timed, 40);
  EXPECT_EQ(counted, 30) << "they had no records";
}

// Sets have no records while copies have none.
TEST(Copies, MemorySetsOfALongRunHaveRecords) {
  const auto recorded = record_long_run(R"(
set_memory bytes=4096 times=7
copy to_device bytes=8192 times=20
)");
  expect_unharmed(recorded);
  std::int64_t sets = 0, counted = 0;
  for (const auto& total : recorded.rows.transfer_totals) {
    if (total.direction == Direction::set) sets += total.transfers;
    if (!total.timed) counted += total.transfers;
  }
  EXPECT_EQ(sets, 7);
  EXPECT_EQ(counted, 30) << "those after the sets have records";
}

// Copies of a graph are not called one by one.
TEST(Copies, OnceAGraphIsLaunchedCopiesHaveRecords) {
  const auto recorded = record(R"(
kernel a
stream_capture g {
  launch a times=2
}
copy to_device bytes=8192 times=40
launch a times=300
sleep ms=2000
copy to_device bytes=8192 times=30
graph g
copy to_device bytes=8192 times=20
)",
                               {"--trace", "100", "--only", "trace"});
  expect_unharmed(recorded);
  std::int64_t timed = std::ssize(recorded.rows.transfers);
  for (const auto& total : recorded.rows.transfer_totals) {
    EXPECT_TRUE(total.timed);
    timed += total.transfers;
  }
  EXPECT_EQ(timed, 90) << "a stream capture came before";
}

}  // namespace
}  // namespace standin
