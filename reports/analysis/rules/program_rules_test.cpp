// Each rule about transfers, L2 windows and managed memory: what it finds, where it must
// find nothing, and where it must not judge.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;
using test::cannot_judge;
using test::finding_of;
using test::finds;
using test::finds_nothing;
using test::window;
using testing::HasSubstr;

const Machine kUnknown;

TransferRow copies(Direction direction, MemoryKind host, std::int64_t count, std::int64_t bytes) {
  return test::copy(direction, host, count, bytes, 1'000'000);
}
bool fires(const Rule<TransferSubject>& rule, const TransferRow& row, const Machine& machine = kUnknown) {
  return finds(rule, {row, machine});
}
bool quiet(const Rule<TransferSubject>& rule, const TransferRow& row, const Machine& machine = kUnknown) {
  return finds_nothing(rule, {row, machine});
}

TEST(T01, FiresOnPageableMemoryAtEitherEnd) {
  EXPECT_TRUE(fires(kPageableCopies, copies(Direction::host_to_device, MemoryKind::pageable, 1, 1 << 20)));
  EXPECT_TRUE(fires(kPageableCopies, copies(Direction::device_to_host, MemoryKind::pageable, 1, 1 << 20)));
}

TEST(T01, FindsNothingOnPinnedAndOnSmallCopiesAndOnOtherDirections) {
  EXPECT_TRUE(quiet(kPageableCopies, copies(Direction::host_to_device, MemoryKind::pinned, 1, 1 << 20)));
  EXPECT_TRUE(quiet(kPageableCopies, copies(Direction::host_to_device, MemoryKind::pageable, 500, 4096)));
  EXPECT_TRUE(quiet(kPageableCopies, copies(Direction::device_to_device, MemoryKind::device, 1, 1 << 20)));
  EXPECT_TRUE(quiet(kPageableCopies, copies(Direction::set, MemoryKind::device, 1, 1 << 20)));
}

TEST(T01, DoesNotJudgeUnknownMemory) {
  const auto row = copies(Direction::host_to_device, MemoryKind::unknown, 1, 1 << 20);
  EXPECT_TRUE(cannot_judge(kPageableCopies, {row, kUnknown}));
}

TEST(T02, FiresOnManySmallCopies) {
  EXPECT_TRUE(fires(kSmallCopies, copies(Direction::host_to_device, MemoryKind::pinned, 1000, 4096)));
  EXPECT_TRUE(quiet(kSmallCopies, copies(Direction::host_to_device, MemoryKind::pinned, 20, 4096)));
  EXPECT_TRUE(quiet(kSmallCopies, copies(Direction::host_to_device, MemoryKind::pinned, 1000, 1 << 20)));
  EXPECT_TRUE(fires(kSmallCopies, copies(Direction::device_to_device, MemoryKind::device, 1000, 4096)));
  EXPECT_TRUE(quiet(kSmallCopies, copies(Direction::device_to_device, MemoryKind::device, 1000, 1 << 20)));
  EXPECT_TRUE(quiet(kSmallCopies, copies(Direction::peer_to_peer, MemoryKind::device, 1000, 4096)));
  EXPECT_TRUE(quiet(kSmallCopies, copies(Direction::set, MemoryKind::device, 1000, 4096)));
}

TEST(T02, CopiesWithinTheDeviceHaveToFollowEachOther) {
  auto row = copies(Direction::device_to_device, MemoryKind::device, 1000, 4096);
  row.in_a_row = 0.05;
  EXPECT_TRUE(quiet(kSmallCopies, row)) << "kernels lie between them";
  row.in_a_row = 0.5;
  EXPECT_TRUE(fires(kSmallCopies, row));
}

// Slices of tensors that Python copies one by one: the GPU is done with one long before the next is there.
TEST(T02, CopiesForWhichTheHostIsTooSlowTakeTheHostsTime) {
  auto row = copies(Direction::host_to_device, MemoryKind::pinned, 1001, 4096);
  row.asynchronous = true;
  row.gpu_ns = 1001 * 1'900;
  row.in_a_row = 0.9;
  Machine machine = test::h100();
  machine.copy_ns = 2'450;
  const auto queued = finding_of(kSmallCopies, {row, machine}).lost_ns;
  ASSERT_TRUE(queued);
  EXPECT_EQ(*queued, 1000 * 2'450);
  row.idle_in_a_row_ns = 200;
  EXPECT_EQ(finding_of(kSmallCopies, {row, machine}).lost_ns, queued) << "as in a queue";
  row.idle_in_a_row_ns = 7'000;
  const auto paced = finding_of(kSmallCopies, {row, machine}).lost_ns;
  ASSERT_TRUE(paced);
  EXPECT_NEAR(static_cast<double>(*paced), 1000 * (1'900 + 0.9 * 7'000), 1000 * 100)
      << "less what the bytes take";
  row.idle_in_a_row_ns = 500'000;
  EXPECT_LT(finding_of(kSmallCopies, {row, machine}).lost_ns, 1000 * 21'000)
      << "the host does something else";
  row.waited_for = true;
  EXPECT_LE(finding_of(kSmallCopies, {row, machine}).lost_ns, queued) << "T03 has the idle time";
}

TEST(T06, FiresOnPeerCopiesThatTakeTheLongWay) {
  auto row = copies(Direction::peer_to_peer, MemoryKind::device, 1, 1 << 26);
  row.bandwidth = 20e9;
  EXPECT_TRUE(cannot_judge(kPeerCopies, {row, kUnknown}));
  Machine machine;
  machine.peer = Ceiling{"peer copy", 270e9, "test"};
  EXPECT_TRUE(fires(kPeerCopies, row, machine));
  row.bandwidth = 260e9;
  EXPECT_TRUE(quiet(kPeerCopies, row, machine));
  EXPECT_TRUE(quiet(kPeerCopies, copies(Direction::host_to_device, MemoryKind::pinned, 1, 1 << 26), machine));
}

// Their own time is not known: calibration tells both ways.
TEST(T06, JudgesCopiesThroughTheHostByCalibration) {
  auto row = copies(Direction::peer_to_peer, MemoryKind::device, 20, 1 << 26);
  row.through_host = true;
  row.gpu_ns = std::nullopt;
  row.bandwidth = std::nullopt;
  Machine machine;
  EXPECT_TRUE(cannot_judge(kPeerCopies, {row, machine}));
  machine.peer = Ceiling{"peer copy", 394e9, "test"};
  EXPECT_TRUE(cannot_judge(kPeerCopies, {row, machine}));
  machine.peer_staged = Ceiling{"peer copy without peer access", 38.6e9, "test"};
  const Finding finding = finding_of(kPeerCopies, {row, machine});
  ASSERT_TRUE(finding.lost_ns);
  const double bytes = static_cast<double>(row.bytes);
  EXPECT_NEAR(static_cast<double>(*finding.lost_ns), bytes / 38.6 - bytes / 394, 1);
}

// One that takes time under a window: without any nobody waits for it.
KernelRow timed_kernel() {
  KernelRow row;
  row.id = 1;
  row.name = "kernel";
  row.launches = 10;
  row.gpu_ns = 1'000'000;
  return row;
}

class RulesOfWindows : public testing::Test {
 protected:
  [[nodiscard]] L2WindowSubject subject(const L2WindowRow& row, const model::Device* device = nullptr) const {
    return {row, kUnknown, device, users_, {}, users_};
  }

  KernelRow kernel_ = timed_kernel();
  std::vector<KernelUse> users_{{&kernel_, 1}};
};

using R01 = RulesOfWindows;
using R03 = RulesOfWindows;

TEST_F(R01, FiresWhereTheWindowWantsMoreThanIsSetAside) {
  EXPECT_TRUE(finds(kL2WindowOverSetAside, subject(window(60 << 20, 1.0, 30 << 20))));
  EXPECT_TRUE(finds_nothing(kL2WindowOverSetAside, subject(window(60 << 20, 0.5, 30 << 20)))) << "tuned";
  EXPECT_TRUE(finds_nothing(kL2WindowOverSetAside, subject(window(20 << 20, 1.0, 30 << 20))));
  EXPECT_TRUE(cannot_judge(kL2WindowOverSetAside, subject(window(20 << 20, 1.0, std::nullopt))));
}

TEST_F(R01, FindsNothingWhereNoKernelUsesTheWindow) {
  users_.clear();
  EXPECT_TRUE(finds_nothing(kL2WindowOverSetAside, subject(window(60 << 20, 1.0, 30 << 20))));
}

TEST_F(R01, AdviceHasTheNumbersToSet) {
  const L2WindowRow row = window(60 << 20, 1.0, 20 << 20);
  model::Device device;
  device.persisting_l2_max_bytes = 30 << 20;
  const Finding finding = finding_of(kL2WindowOverSetAside, subject(row, &device));
  EXPECT_THAT(finding.advice, HasSubstr("cudaLimitPersistingL2CacheSize = 31457280"));
  EXPECT_THAT(finding.advice, HasSubstr("num_bytes = 62914560 and set hitRatio = 0.50"));
  const auto hit_ratio = std::ranges::find(finding.advice_parameters, "hit_ratio", &Fact::key);
  ASSERT_NE(hit_ratio, finding.advice_parameters.end());
  EXPECT_EQ(hit_ratio->value, 0.5);
}

// A kernel of 40 MiB beside a window of 20, on a GPU with 50 MiB of L2.
class LeftOn : public testing::Test {
 protected:
  LeftOn() : row_(window(20 << 20, 1.0, 30 << 20)), machine_(test::h100()) {
    device_.l2_bytes = 50 << 20;
    kernel_ = test::kernel(test::access(10 << 20, 128, 4), test::access(0, 0, 0), 1 << 30, 450'000);
    kernel_.footprint_bytes = 40 << 20;
  }
  [[nodiscard]] L2WindowSubject subject() const { return {row_, machine_, &device_, {}, later_, {}}; }

  L2WindowRow row_;
  Machine machine_;
  model::Device device_;
  KernelRow kernel_;
  std::vector<KernelUse> later_{{&kernel_, 1}};
};

TEST_F(LeftOn, FiresOnKernelsThatReadAgainWhatWouldFit) {
  const Finding finding = finding_of(kL2WindowLeftOn, subject());
  EXPECT_THAT(finding.evidence, HasSubstr("reads its 40 MiB 25.6 times from DRAM"));
  EXPECT_GT(finding.lost_ns, 100'000);
  later_.clear();
  EXPECT_TRUE(finds_nothing(kL2WindowLeftOn, subject())) << "nothing runs afterwards";
}

TEST_F(LeftOn, FindsNothingWhereTheLinesDoNoHarm) {
  kernel_.dram_read_bytes = 42 << 20;
  EXPECT_TRUE(finds_nothing(kL2WindowLeftOn, subject())) << "read once";
  kernel_.dram_read_bytes = 1 << 30;
  kernel_.footprint_bytes = 200 << 20;
  EXPECT_TRUE(finds_nothing(kL2WindowLeftOn, subject())) << "would not fit without them either";
  kernel_.footprint_bytes = 10 << 20;
  EXPECT_TRUE(finds_nothing(kL2WindowLeftOn, subject())) << "fits beside them";
}

TEST_F(LeftOn, JudgesNothingThatWasNotMeasured) {
  kernel_.dram_read_bytes = std::nullopt;
  EXPECT_TRUE(cannot_judge(kL2WindowLeftOn, subject()));
  kernel_.footprint_bytes = std::nullopt;
  EXPECT_TRUE(cannot_judge(kL2WindowLeftOn, subject()));
  row_.launches = 0;
  row_.pointers_known = false;
  EXPECT_TRUE(cannot_judge(kL2WindowLeftOn, subject()));
}

TEST_F(LeftOn, FetchingTheLinesAgainIsTakenOff) {
  row_.later_launches = 1;
  const auto once = finding_of(kL2WindowLeftOn, subject()).lost_ns;
  row_.uses_after_later = 1;
  const auto each_time = finding_of(kL2WindowLeftOn, subject()).lost_ns;
  // 20 MiB at 2,788.1 GB/s
  EXPECT_NEAR(static_cast<double>(*once - *each_time), 7'522, 2);
}

TEST_F(R03, FiresWhereStreamsTogetherWantTooMuch) {
  L2WindowRow row = window(20 << 20, 1.0, 30 << 20);
  EXPECT_TRUE(finds_nothing(kL2WindowsTogether, subject(row)));
  row.other_windows = 1;
  row.other_bytes = 20 << 20;
  EXPECT_TRUE(finds(kL2WindowsTogether, subject(row)));
  EXPECT_THAT(finding_of(kL2WindowsTogether, subject(row)).advice,
              HasSubstr("multiply each hitRatio by 0.75"));
  row.other_bytes = 10 << 20;
  EXPECT_TRUE(finds_nothing(kL2WindowsTogether, subject(row)));
  row.set_aside_bytes = std::nullopt;
  EXPECT_TRUE(cannot_judge(kL2WindowsTogether, subject(row)));
}

// All of 64 MiB went to the device once; `pages` went to the host and back so many times.
AllocationRow managed(std::int64_t faults, std::int64_t pages = 0, std::int64_t times = 0) {
  AllocationRow row;
  row.bytes = 64 << 20;
  auto& did = row.migration;
  did.gpu_faults = faults;
  did.first_bytes_to_device = 64 << 20;
  did.bytes_to_device = (64 << 20) + pages * times;
  did.bytes_to_host = pages * times;
  did.first_bytes_to_host = pages;
  did.pieces_to_device = 32;
  did.first_ns = 5'000'000;
  return row;
}

TEST(U01, FiresOnFaultsAndNotOnPrefetches) {
  EXPECT_TRUE(finds(kManagedFaults, {managed(500), kUnknown}));
  EXPECT_TRUE(finds_nothing(kManagedFaults, {managed(0), kUnknown})) << "2 MiB at a time";
  AllocationRow pieces = managed(0);
  pieces.migration.pieces_to_device = 2000;
  EXPECT_TRUE(finds(kManagedFaults, {pieces, kUnknown})) << "the records of faults were lost";
  EXPECT_THAT(finding_of(kManagedFaults, {pieces, kUnknown}).evidence, HasSubstr("in 2,000 pieces"));
  AllocationRow page = managed(1);
  page.migration.first_bytes_to_device = 4096;
  EXPECT_TRUE(finds_nothing(kManagedFaults, {page, kUnknown})) << "a page";
}

TEST(U01, CostsTheTimeInWhichPagesCameBeyondAPrefetch) {
  const Machine machine = test::h100();
  // 64 MiB at 55.374 GB/s take 1.212 ms.
  EXPECT_NEAR(static_cast<double>(finding_of(kManagedFaults, {managed(500), machine}).lost_ns.value_or(0)),
              3'788'000, 1000);
  EXPECT_EQ(finding_of(kManagedFaults, {managed(500), kUnknown}).lost_ns, std::nullopt);
  AllocationRow untimed = managed(500);
  untimed.migration.first_ns = 0;
  EXPECT_EQ(finding_of(kManagedFaults, {untimed, machine}).lost_ns, std::nullopt);
}

TEST(U02, FiresOnPagesThatGoBackAndForth) {
  EXPECT_TRUE(finds(kManagedPingPong, {managed(500, 2 << 20, 20), kUnknown}))
      << "a part of the allocation, again and again";
  EXPECT_TRUE(finds_nothing(kManagedPingPong, {managed(500), kUnknown}));
  EXPECT_TRUE(finds_nothing(kManagedPingPong, {managed(500, 64 << 20, 1), kUnknown}))
      << "once each way and back";
  AllocationRow results = managed(500, 64 << 20, 0);
  results.migration.bytes_to_host = 64 << 20;
  EXPECT_TRUE(finds_nothing(kManagedPingPong, {results, kUnknown})) << "the host reads the result";
  AllocationRow unknown = managed(500);
  unknown.bytes = 0;
  EXPECT_TRUE(cannot_judge(kManagedPingPong, {unknown, kUnknown}));
}

TEST(U02, CostsTheTimeInWhichPagesCameAgainBeyondCopies) {
  AllocationRow row = managed(500, 2 << 20, 20);
  row.migration.again_ns = 20'000'000;
  // 40 MiB at 55.377 GB/s take 757 us.
  EXPECT_NEAR(static_cast<double>(finding_of(kManagedPingPong, {row, test::h100()}).lost_ns.value_or(0)),
              19'243'000, 1000);
}

TEST(U02, IsPricedForTheWholeRunWhereRecordingStopped) {
  AllocationRow row = managed(500, 2 << 20, 20);
  row.migration.again_ns = 20'000'000;
  row.migration.recorded_kernel_ns = 25'000'000;
  row.migration.kernel_ns = 100'000'000;
  const Finding finding = finding_of(kManagedPingPong, {row, test::h100()});
  EXPECT_NEAR(static_cast<double>(finding.lost_ns.value_or(0)), 4 * 19'243'000, 4000);
  EXPECT_THAT(finding.evidence, testing::HasSubstr("recorded for the first 25.0 ms of 100 ms of GPU time"));
}

}  // namespace
}  // namespace coalescope::analysis
