// Host memory that is pinned again and again: what the rule finds, and where it must find nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/judge/findings.h"
#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::cannot_judge;
using test::finding_of;
using test::finds;
using test::finds_nothing;
using testing::HasSubstr;
using testing::Not;

class T08 : public ::testing::Test {
 protected:
  T08() {
    row_.call_site_id = 3;
    row_.allocations = 100;
    row_.again = 99;
    row_.largest_bytes = 16 << 20;
    row_.calls_ns = 99'000'000;
    row_.idle_ns = 60'000'000;
  }
  [[nodiscard]] AllocationSubject subject() const { return {row_, machine_}; }

  AllocatedAgainRow row_;
  Machine machine_;
};

TEST_F(T08, FindsMemoryThatIsPinnedAgain) {
  EXPECT_TRUE(finds(kPinnedAgain, subject()));
  const Finding finding = finding_of(kPinnedAgain, subject());
  EXPECT_EQ(finding.lost_ns, 60'000'000) << "while no GPU worked";
  EXPECT_EQ(finding.subject_ns, 99'000'000);
  EXPECT_TRUE(is_of_waits(finding));
  EXPECT_EQ(finding.advice_id, "T08.reuse");
  EXPECT_THAT(finding.evidence, HasSubstr("100 times, up to 16 MiB"));
  EXPECT_THAT(finding.evidence, HasSubstr("99 times it could have used memory again"));
  EXPECT_THAT(finding.basis, Not(HasSubstr("not listed")));
}

TEST_F(T08, NamesTheCallAndSpeaksItsLanguage) {
  Report report;
  report.program.allocated_again = {row_};
  report.totals.kernel_ns = 1'000'000'000;
  CallSiteRow& site = report.call_sites.emplace_back();
  site.id = 3;
  site.kind = model::FrameKind::python;
  site.file = "/home/me/train.py";
  site.line = 12;
  site.own = true;
  const auto first_of = [&] {
    const auto findings = judge(report, {}, {}).findings;
    return findings.empty() ? Finding() : findings.front();
  };
  EXPECT_EQ(first_of().rule, "T08");
  EXPECT_EQ(first_of().level, Level::severe) << "6 % of the GPU time, as the run's duration is not known";
  report.totals.wall_ns = 5'000'000'000;
  EXPECT_EQ(first_of().level, Level::warning) << "waits are a part of the run: 1.2 %";
  EXPECT_EQ(first_of().call_file, site.file);
  EXPECT_EQ(first_of().call_line, 12);
  EXPECT_EQ(first_of().advice_id, "T08.reuse");
  report.kernels.emplace_back().owner = "PyTorch ATen";
  report.kernels.front().origin = Origin::library;
  EXPECT_EQ(first_of().advice_id, "T08.call_reuse");
}

TEST_F(T08, SaysThatAPoolIsEmptied) {
  row_.kind = model::AllocationKind::device;
  row_.emptied = true;
  const Finding finding = finding_of(kAllocatedAgain, subject());
  EXPECT_EQ(finding.advice_id, "T08.keep");
  EXPECT_EQ(finding.repair, "keep memory in its pool") << "to allocate it once is not in the author's hands";
  EXPECT_THAT(finding.evidence, HasSubstr("this call gave memory back 100 times"));
  EXPECT_THAT(finding.evidence, HasSubstr("99 times memory of that size was allocated again"));
}

TEST_F(T08, DeviceMemoryIsAFaultOfItsOwn) {
  row_.kind = model::AllocationKind::device;
  EXPECT_TRUE(finds_nothing(kPinnedAgain, subject()));
  const Finding finding = finding_of(kAllocatedAgain, subject());
  EXPECT_EQ(finding.lost_ns, 60'000'000);
  EXPECT_THAT(finding.evidence, HasSubstr("this call allocated memory 100 times, up to 16 MiB"));
  EXPECT_THAT(finding.advice, HasSubstr("cudaMallocAsync"));
  row_.kind = model::AllocationKind::managed;
  EXPECT_THAT(finding_of(kAllocatedAgain, subject()).advice, Not(HasSubstr("cudaMallocAsync")));
  row_.kind = model::AllocationKind::registered;
  EXPECT_TRUE(finds_nothing(kAllocatedAgain, subject()));
}

TEST_F(T08, AdvisesToRegisterOnce) {
  row_.kind = model::AllocationKind::registered;
  EXPECT_EQ(finding_of(kPinnedAgain, subject()).advice_id, "T08.register_once");
}

TEST_F(T08, SaysThatThePriceMayBeMore) {
  row_.unlisted = 7;
  EXPECT_THAT(finding_of(kPinnedAgain, subject()).basis, HasSubstr("7 allocations of the process"));
}

TEST_F(T08, FindsNothingWhereMemoryIsPinnedAFewTimes) {
  row_.again = 7;
  EXPECT_TRUE(finds_nothing(kPinnedAgain, subject()));
  row_.calls_ns.reset();
  EXPECT_TRUE(finds_nothing(kPinnedAgain, subject())) << "nor is anything missing";
}

TEST_F(T08, FindsNothingWhereTheGpuWorksMeanwhile) {
  row_.idle_ns = 0;
  EXPECT_TRUE(finds_nothing(kPinnedAgain, subject()));
}

TEST_F(T08, CannotJudgeWithoutTimesOrCalls) {
  row_.call_site_id.reset();
  EXPECT_TRUE(cannot_judge(kPinnedAgain, subject()));
  row_.call_site_id = 3;
  row_.calls_ns.reset();
  EXPECT_TRUE(cannot_judge(kPinnedAgain, subject()));
}

}  // namespace
}  // namespace coalescope::analysis
