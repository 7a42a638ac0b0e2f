// Rules about the order of time: what they find, and where they must find nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::finding_of;
using test::finds;
using test::finds_nothing;
using testing::HasSubstr;

const Machine kNoFigures;

TimelineRow timeline() {
  TimelineRow row;
  row.busy_ns = 10'000'000;
  return row;
}

TEST(T03, FiresOnIdleMomentsBesideCopiesThatAreWaitedFor) {
  TimelineRow row = timeline();
  row.synchronous_copies = row.waits = 100;
  row.wait_ns = 2'000'000;
  EXPECT_TRUE(finds(kIdleBesideCopies, {row, kNoFigures}));
  row.wait_ns = 150'000;  // as operations in a queue follow each other
  EXPECT_TRUE(finds_nothing(kIdleBesideCopies, {row, kNoFigures}));
  EXPECT_TRUE(finds_nothing(kIdleBesideCopies, {timeline(), kNoFigures}));
}

TEST(T03, CountsLongPausesThatComeRegularlyAndSaysWhatTheHostDoes) {
  const auto assessed = [](std::int64_t preparations, std::int64_t evaluations) {
    TimelineRow row = timeline();
    row.preparations = preparations;
    row.evaluations = evaluations;
    row.preparation_ns = row.evaluation_ns = 50'000'000;
    return kIdleBesideCopies.assess({row, kNoFigures});
  };
  EXPECT_EQ(assessed(9, 9).measure.value, 0) << "of a set-up, or of an end";
  EXPECT_EQ(assessed(20, 0).cost.lost_ns, 50'000'000);
  EXPECT_EQ(assessed(20, 0).advice.id, "T03.prepare");
  EXPECT_EQ(assessed(0, 20).cost.lost_ns, 50'000'000);
  EXPECT_EQ(assessed(0, 20).advice.id, "T03.evaluate");
  EXPECT_THAT(assessed(0, 20).cost.basis, HasSubstr("behind downloads that come regularly"));
  EXPECT_EQ(assessed(20, 20).cost.lost_ns, 100'000'000);
}

// A program that does well afterwards is not excused.
TEST(T03, JudgesAStretchByItsOwnTime) {
  TimelineRow row = timeline();
  row.busy_ns = 100'000'000;
  row.synchronous_copies = row.waits = 100;
  row.wait_ns = 2'000'000;
  row.wait_busy_ns = 100'000'000;
  EXPECT_TRUE(finds_nothing(kIdleBesideCopies, {row, kNoFigures}));
  row.wait_busy_ns = 4'000'000;
  const Finding finding = finding_of(kIdleBesideCopies, {row, kNoFigures});
  EXPECT_THAT(finding.evidence, HasSubstr("beside 4.00 ms of work"));
}

// Of a long run samples are listed.
TEST(T03, CountsCopiesThatAreNotListedAsThoseThatAre) {
  TimelineRow row = timeline();
  row.synchronous_copies = row.waits = 100;
  row.wait_ns = 2'000'000;
  const Finding listed = finding_of(kIdleBesideCopies, {row, kNoFigures});
  row.all_synchronous_copies = 250;
  const Finding all = finding_of(kIdleBesideCopies, {row, kNoFigures});
  ASSERT_TRUE(listed.lost_ns && all.lost_ns);
  EXPECT_EQ(2 * *all.lost_ns, 5 * *listed.lost_ns);
  EXPECT_THAT(all.evidence, HasSubstr("100 of 250 copies that were waited for are listed"));
  EXPECT_THAT(all.basis, HasSubstr("estimated for copies that are not listed"));
}

TimelineRow in_turn(std::int64_t upload, std::int64_t kernel, std::int64_t download) {
  TimelineRow row = timeline();
  row.rounds = 1;
  row.round_upload_ns = upload;
  row.round_kernel_ns = kernel;
  row.round_download_ns = download;
  row.round_busy_ns = upload + kernel + download;
  return row;
}

// Each round may run beside the next one, without being cut.
TEST(T04, StreamsThatWaitForEachOtherTakeTheLongestStageOfARound) {
  TimelineRow row = in_turn(5'000'000, 9'000'000, 1'000'000);
  row.rounds = row.all_rounds = 100;
  row.round_streams = true;
  row.round_idle_ns = 1'000'000;
  row.round_kernel_apart = "sum_up";
  const Finding found = finding_of(kCopyAndComputeInTurn, {row, kNoFigures});
  EXPECT_EQ(found.lost_ns, 16'000'000 - 9'000'000 - 60'000);
  EXPECT_EQ(found.advice_id, "T04.default_stream");
  EXPECT_THAT(found.advice, HasSubstr("sum_up runs in another stream"));
  row.round_idle_ns = 100'000'000;
  EXPECT_TRUE(finds_nothing(kCopyAndComputeInTurn, {row, kNoFigures})) << "the host is slower";
  row.round_idle_ns = 0;
  row.all_rounds = 300;
  EXPECT_TRUE(finds_nothing(kCopyAndComputeInTurn, {row, kNoFigures})) << "most overlap";
}

TEST(T04, RoundsThatTheHostQueuesAheadNeedNotBeCut) {
  TimelineRow row = in_turn(5'000'000, 9'000'000, 1'000'000);
  row.rounds = row.all_rounds = 100;
  const Finding cut = finding_of(kCopyAndComputeInTurn, {row, kNoFigures});
  row.rounds_queued = true;
  const Finding whole = finding_of(kCopyAndComputeInTurn, {row, kNoFigures});
  EXPECT_EQ(cut.advice_id, "T04.stage");
  EXPECT_EQ(whole.advice_id, "T04.stream_each");
  EXPECT_EQ(whole.lost_ns, 15'000'000 - 9'000'000 - 60'000);
  EXPECT_LT(*cut.lost_ns, *whole.lost_ns);
  row.round_pageable = true;
  const Finding pageable = finding_of(kCopyAndComputeInTurn, {row, kNoFigures});
  EXPECT_EQ(pageable.advice_id, "T04.stream_each_pinned");
  EXPECT_THAT(pageable.advice, HasSubstr("in pinned memory"));
}

TEST(T04, FiresWhereCopiesAndKernelsCouldOverlap) {
  EXPECT_TRUE(finds(kCopyAndComputeInTurn, {in_turn(4'000'000, 4'000'000, 4'000'000), kNoFigures}));
  EXPECT_TRUE(finds_nothing(kCopyAndComputeInTurn, {in_turn(100'000, 8'000'000, 100'000), kNoFigures}));
  EXPECT_TRUE(finds_nothing(kCopyAndComputeInTurn, {timeline(), kNoFigures}));
}

TEST(T04, SaysWhichRoundsOverlapAlready) {
  TimelineRow row = in_turn(4'000'000, 4'000'000, 4'000'000);
  row.rounds = 10;
  row.all_rounds = 20;
  row.rounds_began_ns = 1'000'000;
  row.rounds_ended_ns = 14'000'000;
  const Finding finding = finding_of(kCopyAndComputeInTurn, {row, kNoFigures});
  EXPECT_THAT(finding.evidence, HasSubstr("10 of 20 rounds of upload"));
  EXPECT_THAT(finding.evidence, HasSubstr("in a stretch of 13.0 ms; the others overlap"));
}

// The kernel's time and the copies' over n; with one copy engine both directions share it.
TEST(T04, SaysWhatEachNumberOfPartsWouldTake) {
  const TimelineRow row = in_turn(2'000'000, 8'000'000, 2'000'000);
  model::Device device;
  device.copy_engines = 3;
  const Finding finding = finding_of(kCopyAndComputeInTurn, {row, kNoFigures, &device});
  EXPECT_THAT(finding.basis, HasSubstr("n = 2: 10.0 ms, n = 4: 9.00 ms"));
  EXPECT_EQ(finding.lost_ns, 12'000'000 - 8'250'000) << "16 parts";
  const TimelineRow copying = in_turn(8'000'000, 2'000'000, 8'000'000);
  const auto basis = [&](std::int64_t engines) {
    device.copy_engines = engines;
    return finding_of(kCopyAndComputeInTurn, {copying, kNoFigures, &device}).basis;
  };
  EXPECT_THAT(basis(1), HasSubstr("n = 2: 17.0 ms"));
  EXPECT_THAT(basis(3), HasSubstr("n = 2: 13.0 ms"));
}

TEST(T05, FiresOnRoundTrips) {
  TimelineRow row = timeline();
  row.round_trips = 10;
  row.round_trip_ns = 4'000'000;
  row.round_trip_from = "first";
  row.round_trip_to = "second";
  EXPECT_TRUE(finds(kRoundTrip, {row, kNoFigures}));
  EXPECT_THAT(finding_of(kRoundTrip, {row, kNoFigures}).evidence,
              HasSubstr("after first and came back before second"));
  EXPECT_EQ(kRoundTrip.assess({row, kNoFigures}).cost.lost_ns, 4'000'000);
  row.copies_for_each_listed = 2.5;
  EXPECT_EQ(kRoundTrip.assess({row, kNoFigures}).cost.lost_ns, 10'000'000);
  EXPECT_TRUE(finds_nothing(kRoundTrip, {timeline(), kNoFigures}));
}

}  // namespace
}  // namespace coalescope::analysis
