// Each rule about transfers, the order of time, L2 windows and managed memory: where it speaks, where it must
// be silent, and where it must not judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rules/hearing_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;
using test::silent;
using test::speaks;
using test::unjudged;
using testing::HasSubstr;

const Machine kUnknown;

TransferRow copies(Direction direction, MemoryKind host, std::int64_t count, std::int64_t bytes) {
  return test::copy(direction, host, count, bytes, 1'000'000);
}
bool fires(const Rule<TransferSubject>& rule, const TransferRow& row, const Machine& machine = kUnknown) {
  return speaks(rule, {row, machine});
}
bool quiet(const Rule<TransferSubject>& rule, const TransferRow& row, const Machine& machine = kUnknown) {
  return silent(rule, {row, machine});
}

TEST(T01, FiresOnPageableMemoryAtEitherEnd) {
  EXPECT_TRUE(fires(kPageableCopies, copies(Direction::host_to_device, MemoryKind::pageable, 1, 1 << 20)));
  EXPECT_TRUE(fires(kPageableCopies, copies(Direction::device_to_host, MemoryKind::pageable, 1, 1 << 20)));
}

TEST(T01, IsSilentOnPinnedAndOnSmallCopiesAndOnOtherDirections) {
  EXPECT_TRUE(quiet(kPageableCopies, copies(Direction::host_to_device, MemoryKind::pinned, 1, 1 << 20)));
  EXPECT_TRUE(quiet(kPageableCopies, copies(Direction::host_to_device, MemoryKind::pageable, 500, 4096)));
  EXPECT_TRUE(quiet(kPageableCopies, copies(Direction::device_to_device, MemoryKind::device, 1, 1 << 20)));
  EXPECT_TRUE(quiet(kPageableCopies, copies(Direction::set, MemoryKind::device, 1, 1 << 20)));
}

TEST(T01, DoesNotJudgeUnknownMemory) {
  const auto row = copies(Direction::host_to_device, MemoryKind::unknown, 1, 1 << 20);
  EXPECT_TRUE(unjudged(kPageableCopies, {row, kUnknown}));
}

TEST(T02, FiresOnManySmallCopies) {
  EXPECT_TRUE(fires(kSmallCopies, copies(Direction::host_to_device, MemoryKind::pinned, 1000, 4096)));
  EXPECT_TRUE(quiet(kSmallCopies, copies(Direction::host_to_device, MemoryKind::pinned, 20, 4096)));
  EXPECT_TRUE(quiet(kSmallCopies, copies(Direction::host_to_device, MemoryKind::pinned, 1000, 1 << 20)));
  EXPECT_TRUE(quiet(kSmallCopies, copies(Direction::device_to_device, MemoryKind::device, 1000, 4096)));
}

TEST(T06, FiresOnPeerCopiesThatTakeTheLongWay) {
  auto row = copies(Direction::peer_to_peer, MemoryKind::device, 1, 1 << 26);
  row.bandwidth = 20e9;
  EXPECT_TRUE(unjudged(kPeerCopies, {row, kUnknown}));
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
  EXPECT_TRUE(unjudged(kPeerCopies, {row, machine}));
  machine.peer = Ceiling{"peer copy", 394e9, "test"};
  EXPECT_TRUE(unjudged(kPeerCopies, {row, machine}));
  machine.peer_staged = Ceiling{"peer copy without peer access", 38.6e9, "test"};
  EXPECT_TRUE(fires(kPeerCopies, row, machine));
  const Cost cost = kPeerCopies.cost({row, machine});
  ASSERT_TRUE(cost.lost_ns);
  const double bytes = static_cast<double>(row.bytes);
  EXPECT_NEAR(static_cast<double>(*cost.lost_ns), bytes / 38.6 - bytes / 394, 1);
}

TimelineRow timeline() {
  TimelineRow row;
  row.busy_ns = 10'000'000;
  return row;
}

TEST(T03, FiresOnIdleMomentsBesideCopiesThatAreWaitedFor) {
  TimelineRow row = timeline();
  row.synchronous_copies = row.waits = 100;
  row.wait_ns = 2'000'000;
  EXPECT_TRUE(speaks(kIdleBesideCopies, {row, kUnknown}));
  row.wait_ns = 150'000;  // as operations in a queue follow each other
  EXPECT_TRUE(silent(kIdleBesideCopies, {row, kUnknown}));
  EXPECT_TRUE(silent(kIdleBesideCopies, {timeline(), kUnknown}));
}

TimelineRow in_turn(std::int64_t upload, std::int64_t kernel, std::int64_t download) {
  TimelineRow row = timeline();
  row.rounds = 1;
  row.round_upload_ns = upload;
  row.round_kernel_ns = kernel;
  row.round_download_ns = download;
  return row;
}

TEST(T04, FiresWhereCopiesAndKernelsCouldOverlap) {
  EXPECT_TRUE(speaks(kCopyAndComputeInTurn, {in_turn(4'000'000, 4'000'000, 4'000'000), kUnknown}));
  EXPECT_TRUE(silent(kCopyAndComputeInTurn, {in_turn(100'000, 8'000'000, 100'000), kUnknown}));
  EXPECT_TRUE(silent(kCopyAndComputeInTurn, {timeline(), kUnknown}));
}

// The kernel's time and the copies' over n; with one copy engine both directions share it.
TEST(T04, SaysWhatEachNumberOfPartsWouldTake) {
  const TimelineRow row = in_turn(2'000'000, 8'000'000, 2'000'000);
  model::Device device;
  device.copy_engines = 3;
  const TimelineSubject subject{row, kUnknown, &device};
  const Cost cost = kCopyAndComputeInTurn.cost(subject);
  EXPECT_THAT(cost.basis, HasSubstr("n = 2: 10.0 ms, n = 4: 9.00 ms"));
  EXPECT_EQ(cost.lost_ns, 12'000'000 - 8'250'000) << "16 parts";
  const TimelineRow copying = in_turn(8'000'000, 2'000'000, 8'000'000);
  device.copy_engines = 1;
  EXPECT_THAT(kCopyAndComputeInTurn.cost({copying, kUnknown, &device}).basis, HasSubstr("n = 2: 17.0 ms"));
  device.copy_engines = 3;
  EXPECT_THAT(kCopyAndComputeInTurn.cost({copying, kUnknown, &device}).basis, HasSubstr("n = 2: 13.0 ms"));
}

TEST(T05, FiresOnRoundTrips) {
  TimelineRow row = timeline();
  row.round_trips = 10;
  row.round_trip_ns = 4'000'000;
  row.round_trip_from = "first";
  row.round_trip_to = "second";
  EXPECT_TRUE(speaks(kRoundTrip, {row, kUnknown}));
  EXPECT_THAT(kRoundTrip.evidence({row, kUnknown}), HasSubstr("after first and came back before second"));
  EXPECT_TRUE(silent(kRoundTrip, {timeline(), kUnknown}));
}

WindowRow window(std::int64_t bytes, double hit_ratio, std::optional<std::int64_t> set_aside) {
  WindowRow row;
  row.window.bytes = bytes;
  row.window.hit_ratio = hit_ratio;
  row.window.hit_property = model::AccessProperty::persisting;
  row.set_aside_bytes = set_aside;
  row.pointers_known = true;
  row.launches = 20;
  row.gpu_ns = 1'000'000;
  return row;
}

TEST(R01, FiresWhereTheWindowWantsMoreThanIsSetAside) {
  EXPECT_TRUE(speaks(kWindowOverSetAside, {window(60 << 20, 1.0, 30 << 20), kUnknown}));
  EXPECT_TRUE(silent(kWindowOverSetAside, {window(60 << 20, 0.5, 30 << 20), kUnknown})) << "tuned";
  EXPECT_TRUE(silent(kWindowOverSetAside, {window(20 << 20, 1.0, 30 << 20), kUnknown}));
  EXPECT_TRUE(unjudged(kWindowOverSetAside, {window(20 << 20, 1.0, std::nullopt), kUnknown}));
}

TEST(R01, AdviceHasTheNumbersToSet) {
  const WindowRow row = window(60 << 20, 1.0, 20 << 20);
  model::Device device;
  device.persisting_l2_max_bytes = 30 << 20;
  const auto text = kWindowOverSetAside.advice({row, kUnknown, &device});
  EXPECT_THAT(text, HasSubstr("cudaLimitPersistingL2CacheSize = 31457280"));
  EXPECT_THAT(text, HasSubstr("num_bytes = 62914560 and set hitRatio = 0.50"));
}

TEST(R01, IsPricedByTheCurves) {
  const WindowRow row = window(60 << 20, 1.0, 30 << 20);
  EXPECT_EQ(kWindowOverSetAside.cost({row, kUnknown}).lost_ns, std::nullopt);
  Machine machine;
  machine.residency_full = KnownCurve{{"GB/s", "bytes", true, {{1e7, 2000, {}}, {1e8, 2000, {}}}}, "test"};
  machine.residency_tuned = KnownCurve{{"GB/s", "bytes", true, {{1e7, 2500, {}}, {1e8, 2500, {}}}}, "test"};
  EXPECT_EQ(kWindowOverSetAside.cost({row, machine}).lost_ns, 200'000);
}

TEST(R02, FiresOnLinesThatPersistAfterTheirUse) {
  WindowRow row = window(20 << 20, 1.0, 30 << 20);
  EXPECT_TRUE(silent(kWindowLeftOn, {row, kUnknown}));
  row.later_launches = 100;
  row.later_gpu_ns = 2'000'000;
  EXPECT_TRUE(speaks(kWindowLeftOn, {row, kUnknown}));
  row.launches = 0;
  row.pointers_known = false;
  EXPECT_TRUE(unjudged(kWindowLeftOn, {row, kUnknown}));
}

TEST(R03, FiresWhereStreamsTogetherWantTooMuch) {
  WindowRow row = window(20 << 20, 1.0, 30 << 20);
  EXPECT_TRUE(silent(kWindowsTogether, {row, kUnknown}));
  row.other_windows = 1;
  row.other_bytes = 20 << 20;
  EXPECT_TRUE(speaks(kWindowsTogether, {row, kUnknown}));
  EXPECT_THAT(kWindowsTogether.advice({row, kUnknown}), HasSubstr("multiply each hitRatio by 0.75"));
  row.other_bytes = 10 << 20;
  EXPECT_TRUE(silent(kWindowsTogether, {row, kUnknown}));
  row.set_aside_bytes = std::nullopt;
  EXPECT_TRUE(unjudged(kWindowsTogether, {row, kUnknown}));
}

AllocationRow managed(std::int64_t to_device, std::int64_t to_host, std::int64_t faults) {
  AllocationRow row;
  row.bytes = 64 << 20;
  row.migration.bytes_to_device = to_device;
  row.migration.bytes_to_host = to_host;
  row.migration.gpu_faults = faults;
  return row;
}

TEST(U01, FiresOnFaultsAndNotOnPrefetches) {
  EXPECT_TRUE(speaks(kManagedFaults, {managed(64 << 20, 0, 500), kUnknown}));
  EXPECT_TRUE(silent(kManagedFaults, {managed(64 << 20, 0, 0), kUnknown}));
  EXPECT_TRUE(silent(kManagedFaults, {managed(4096, 0, 1), kUnknown})) << "a page";
}

TEST(U02, FiresOnMemoryThatGoesBackAndForth) {
  EXPECT_TRUE(speaks(kManagedPingPong, {managed(640 << 20, 640 << 20, 500), kUnknown}));
  EXPECT_TRUE(silent(kManagedPingPong, {managed(64 << 20, 64 << 20, 500), kUnknown}));
  AllocationRow unknown = managed(64 << 20, 64 << 20, 500);
  unknown.bytes = 0;
  EXPECT_TRUE(unjudged(kManagedPingPong, {unknown, kUnknown}));
}

}  // namespace
}  // namespace coalescope::analysis
