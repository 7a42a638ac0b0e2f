#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kFlowBytes = 400'000'000, kWaterBytes = 200'000'000;

// One finds flows from the water, and the other one changes the water by them: 1 ms each.
class KernelsThatHandFlowsOn : public testing::Test {
 protected:
  KernelsThatHandFlowsOn() {
    machine_.dram = Ceiling{"DRAM", 4e12, "test"};
    first_.id = 1;
    first_.name = "find_flows";
    first_.dram_read_bytes = kWaterBytes;
    first_.dram_write_bytes = kFlowBytes;
    second_.id = 2;
    second_.name = "apply_flows";
    second_.dram_read_bytes = kFlowBytes + kWaterBytes;
    second_.dram_write_bytes = kWaterBytes;
    first_.median_gpu_ns = second_.median_gpu_ns = 1'000'000;
    row_.links = {{kFlowBytes, 0, kWaterBytes, 2}};
    row_.times = 100;
  }
  [[nodiscard]] Judgement judgement() const {
    return test::judgement_of(kHandedOn, HandedOnSubject{row_, machine_, kernels_});
  }

  Machine machine_;
  HandedOnRow row_;
  KernelRow first_, second_, third_;
  std::vector<const KernelRow*> kernels_{&first_, &second_};
};

TEST_F(KernelsThatHandFlowsOn, CostWhatDramTakesForThem) {
  const auto findings = judgement().findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "F01");
  EXPECT_EQ(findings[0].advice_id, "F01.hand_on");
  // Flows stored and loaded, and the water loaded once more: 1 GB at 4 TB/s.
  EXPECT_EQ(findings[0].lost_ns, 100 * 250'000);
  EXPECT_THAT(findings[0].evidence,
              HasSubstr("find_flows stores 381 MiB that apply_flows loads, and nothing else"));
}

TEST_F(KernelsThatHandFlowsOn, AreNoFaultWhereL2HoldsThem) {
  first_.dram_write_bytes = second_.dram_read_bytes = 1'000;
  EXPECT_TRUE(judgement().findings.empty());
}

TEST_F(KernelsThatHandFlowsOn, AreLeftAloneWhereTheRestIsMostOfIt) {
  first_.dram_read_bytes = 20'000'000'000;
  EXPECT_TRUE(judgement().findings.empty());
}

TEST_F(KernelsThatHandFlowsOn, LeaveTheInstructionsOfBoth) {
  // Warps issue an instruction each clock on four schedulers of each multiprocessor.
  machine_.instructions_per_ns = 100;
  machine_.multiprocessors = 1;
  first_.grid = second_.grid = {1, 1, 1};
  first_.instructions = 40'000'000;    // 0.4 ms, for each of two neighbours
  second_.instructions = 110'000'000;  // 1.1 ms
  const auto findings = judgement().findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].lost_ns, 100 * 100'000);
}

TEST_F(KernelsThatHandFlowsOn, KeepStoringWhatALaterLaunchLoads) {
  row_.links[0].kept_bytes = kFlowBytes;
  const auto findings = judgement().findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].lost_ns, 100 * 150'000);
  EXPECT_THAT(findings[0].evidence, HasSubstr("apply_flows loads next"));
}

// What each of three stores for the next one is stored and loaded once less: 1 GB as above, and the water
// that the third one changes in place, 0.4 GB.
TEST_F(KernelsThatHandFlowsOn, MayBeMoreThanTwo) {
  third_ = second_;
  third_.id = 3;
  third_.dram_read_bytes = kWaterBytes;
  kernels_.push_back(&third_);
  row_.links.push_back({kWaterBytes, 0, 0, 1});
  const auto findings = judgement().findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].lost_ns, 100 * 350'000);
  EXPECT_EQ(findings[0].fewer_launches, 200);
  EXPECT_THAT(findings[0].evidence, HasSubstr("3 kernels follow each other"));
}

TEST_F(KernelsThatHandFlowsOn, AreNotJudgedWithoutTheirTraffic) {
  second_.dram_read_bytes.reset();
  EXPECT_TRUE(judgement().findings.empty());
  EXPECT_EQ(judgement().not_judged.size(), 1U);
}

}  // namespace
}  // namespace coalescope::analysis
