// Fills and conversions that are not needed: what the rules find, and where they must find nothing.
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

class F02 : public ::testing::Test {
 protected:
  F02() {
    row_.times = 40;
    row_.bytes = 1 << 20;
    row_.gpu_ns = 80'000;
    kernel_.name = "scale";
    kernel_.median_gpu_ns = 3'000;
  }
  [[nodiscard]] FillSubject subject() const { return {row_, machine_, &kernel_}; }

  OverwrittenFillRow row_;
  Machine machine_;
  KernelRow kernel_;
};

TEST_F(F02, FindsFillsThatAreOverwritten) {
  EXPECT_TRUE(finds(kOverwrittenFills, subject()));
  const Finding finding = finding_of(kOverwrittenFills, subject());
  EXPECT_EQ(finding.lost_ns, 80'000) << "all of their time";
  EXPECT_EQ(finding.subject_ns, 200'000) << "with the kernel that overwrites them";
  EXPECT_THAT(finding.evidence, HasSubstr("1 MiB are filled 40 times, and 'scale' stores to all of them"));
}

TEST_F(F02, DoubtsNoMoreOfItThanL2CanHold) {
  model::Device device;
  device.l2_bytes = 1 << 19;
  machine_.dram = Ceiling{"DRAM", 1e12, "test"};
  const FillSubject held{row_, machine_, &kernel_, &device};
  EXPECT_EQ(finding_of(kOverwrittenFills, held).subject_ns, 80'000 + 20'972) << "half of the array";
}

TEST_F(F02, LeavesAloneWhatABeginningProgramDoesOnce) {
  row_.times = 1;
  EXPECT_TRUE(finds_nothing(kOverwrittenFills, subject()));
}

TEST(ZerosInGradients, CostTheFillsAndTheAdditions) {
  const Machine machine;
  ZeroedGradientsRow row{.fills = 120, .bytes = 1 << 30, .fill_ns = 500, .add_ns = 1'500};
  const Finding finding = finding_of(kZeroedGradients, ZeroedGradientsSubject{row, machine});
  EXPECT_EQ(finding.lost_ns, 2'000);
  EXPECT_EQ(finding.advice_id, "F02.set_to_none");
  EXPECT_THAT(finding.evidence, HasSubstr("stores 1 GiB of zeros in 120 fills"));
  row.fills = 1;
  EXPECT_TRUE(finds_nothing(kZeroedGradients, ZeroedGradientsSubject{row, machine}));
}

TEST(GradientsOfTables, CostTheFillsAndTheOptimiser) {
  const Machine machine;
  TableGradientsRow row{
      .steps = 100, .table_bytes = 1 << 30, .row_bytes = 1 << 26, .fill_ns = 400, .optimiser_ns = 1'200};
  const Finding finding = finding_of(kTableGradients, TableGradientsSubject{row, machine});
  EXPECT_EQ(finding.lost_ns, 1'500) << "a sixteenth is needed";
  EXPECT_EQ(finding.advice_id, "F02.sparse_gradient");
  EXPECT_THAT(finding.evidence, HasSubstr("gradients of 64 MiB of rows, and fills 1 GiB"));
  row.row_bytes = 1 << 28;
  EXPECT_TRUE(finds_nothing(kTableGradients, TableGradientsSubject{row, machine})) << "a quarter";
}

TEST(K02, FindsConversionsThatComeAgain) {
  const Machine machine;
  AutocastRow row{.conversions = 4'000, .bytes = 1 << 30, .gpu_ns = 70'000};
  const Finding finding = finding_of(kAutocasts, AutocastSubject{row, machine});
  EXPECT_EQ(finding.lost_ns, 70'000);
  EXPECT_THAT(finding.evidence, HasSubstr("4,000 conversions, which move 1 GiB"));
  row.bytes.reset();
  EXPECT_THAT(finding_of(kAutocasts, AutocastSubject{row, machine}).evidence,
              HasSubstr("4,000 conversions, and the process"));
  row.conversions = 99;
  EXPECT_TRUE(finds_nothing(kAutocasts, AutocastSubject{row, machine}));
}

}  // namespace
}  // namespace coalescope::analysis
