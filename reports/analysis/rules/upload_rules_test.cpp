// Copies that move the same bytes again: what the rule finds, and where it must find nothing.
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

class T07 : public ::testing::Test {
 protected:
  T07() {
    use_.calls = 100;
    use_.bytes = 100 << 20;
    use_.gpu_ns = 8'000'000;
    use_.estimated_ns = 10'000'000;
    use_.compared = use_.repeated = 10;
  }
  TransferRow row_ =
      test::copy(model::Direction::host_to_device, model::MemoryKind::pinned, 200, 1 << 20, 20'000'000);
  SiteUse use_;
  Machine machine_;
};

TEST_F(T07, FindsCopiesOfWhichEachThatWasComparedWasARepetition) {
  EXPECT_TRUE(finds(kRepeatedUploads, UploadSubject{row_, use_, machine_}));
  const Finding finding = finding_of(kRepeatedUploads, UploadSubject{row_, use_, machine_});
  EXPECT_EQ(finding.lost_ns, 9'900'000) << "all but the first";
  EXPECT_EQ(finding.subject_ns, 10'000'000) << "of this call, not of all that are like it";
  EXPECT_THAT(finding.evidence, HasSubstr("100 copies"));
  EXPECT_THAT(finding.evidence, HasSubstr("10 that were compared"));
}

TEST_F(T07, CopiesWhoseStackWasNotLookedAtHaveTheirPart) {
  SiteUse other = use_;
  use_.calls = 10;
  other.calls = 40;
  row_.call_sites = {use_, other};
  use_.estimated_ns = 4'000'000;
  const Finding finding = finding_of(kRepeatedUploads, UploadSubject{row_, use_, machine_});
  EXPECT_THAT(finding.evidence, HasSubstr("40 copies")) << "a fifth of 200";
  EXPECT_EQ(finding.lost_ns, 3'900'000);
}

TEST_F(T07, CopiesThatAreOverwrittenNeedNotBeMade) {
  KernelRow kernel;
  kernel.name = "make_all";
  use_.overwritten = 98;
  const UploadSubject subject{row_, use_, machine_, false, &kernel};
  const Finding finding = finding_of(kOverwrittenUploads, subject);
  EXPECT_EQ(finding.lost_ns, 9'800'000);
  EXPECT_THAT(finding.evidence, HasSubstr("'make_all' stores to each byte"));
  EXPECT_TRUE(finds_nothing(kRepeatedUploads, subject)) << "one fault is one finding";
  use_.overwritten = 60;
  EXPECT_TRUE(finds_nothing(kOverwrittenUploads, subject)) << "the others are needed";
  EXPECT_TRUE(finds(kRepeatedUploads, subject));
}

TEST_F(T07, CopiesThatKeepTheirCallerLetTheGpuIdle) {
  use_.idle_ns = 50'000'000;
  const Finding finding = finding_of(kRepeatedUploads, UploadSubject{row_, use_, machine_});
  EXPECT_EQ(finding.lost_ns, 9'900'000 + 49'500'000);
  EXPECT_THAT(finding.basis, HasSubstr("the GPU idles for 50.0 ms before and behind them"));
}

TEST_F(T07, WhatALibraryStagesLetsTheGpuIdleBeforeTheCopy) {
  row_.idle_before_ns = 1'000'000;
  EXPECT_EQ(finding_of(kRepeatedUploads, UploadSubject{row_, use_, machine_}).lost_ns, 9'900'000)
      << "the host does something else";
  const UploadSubject staged{row_, use_, machine_, true};
  EXPECT_NEAR(static_cast<double>(finding_of(kRepeatedUploads, staged).lost_ns.value()),
              9'900'000 + 99 * (1 << 20) / 5.8, 1e3);
  row_.idle_before_ns = 1'000;
  EXPECT_EQ(finding_of(kRepeatedUploads, staged).lost_ns, 9'900'000 + 99 * 1'000);
}

TEST_F(T07, SmallCopiesInAQueueTakeTheirFixedTime) {
  row_.asynchronous = true;
  use_.estimated_ns = 90'000;
  machine_.copy_ns = 2'490;
  EXPECT_EQ(finding_of(kRepeatedUploads, UploadSubject{row_, use_, machine_}).lost_ns, 99 * 2'490);
}

TEST_F(T07, SeveralArraysTogetherAreEachNewOnce) {
  use_.repeated = 8;
  row_.first_burst_bytes = 3 << 20;
  EXPECT_THAT(finding_of(kRepeatedUploads, UploadSubject{row_, use_, machine_}).evidence,
              HasSubstr("8 of the 10 that were compared"));
  use_.repeated = 7;
  EXPECT_TRUE(finds_nothing(kRepeatedUploads, UploadSubject{row_, use_, machine_})) << "one has changed";
}

// Boxes of 320 pictures, of which a few come again (H200).
TEST_F(T07, FewRepetitionsAmongManyArraysSayNothingOfTheOthers) {
  use_.compared = 157;
  use_.repeated = 9;
  row_.first_burst_bytes = 960 << 20;
  EXPECT_TRUE(finds_nothing(kRepeatedUploads, UploadSubject{row_, use_, machine_}));
}

TEST_F(T07, FindsNothingWhereSomeMovedOtherBytes) {
  use_.repeated = 9;
  EXPECT_TRUE(finds_nothing(kRepeatedUploads, UploadSubject{row_, use_, machine_}));
}

TEST_F(T07, FindsNothingWhereFewOrNoneWereCompared) {
  use_.compared = use_.repeated = 3;
  EXPECT_TRUE(finds_nothing(kRepeatedUploads, UploadSubject{row_, use_, machine_}));
  use_.compared = use_.repeated = std::nullopt;
  EXPECT_TRUE(finds_nothing(kRepeatedUploads, UploadSubject{row_, use_, machine_}));
}

}  // namespace
}  // namespace coalescope::analysis
