#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using testing::HasSubstr;

// Launches of 1 ms, eight in a row, each of which reads the same 4 GB, which DRAM gives in 0.8 ms.
class LaunchesThatReadOneArray : public testing::Test {
 protected:
  LaunchesThatReadOneArray() {
    machine_.dram = Ceiling{"DRAM", 5e12, "test"};
    device_.l2_bytes = 60'000'000;
    kernel_.dram_read_bytes = row_.array_bytes = 4'000'000'000;
    kernel_.median_gpu_ns = 1'000'000;
    row_.launches = 800;
    row_.in_a_row = 8;
  }
  [[nodiscard]] Judgement judgement() const {
    return test::judgement_of(kReadByEach, ReadByEachSubject{row_, machine_, kernel_, &device_});
  }

  Machine machine_;
  model::Device device_;
  KernelRow kernel_;
  ReadByEachRow row_;
};

TEST_F(LaunchesThatReadOneArray, CostWhatDramTakesForAllButOne) {
  const auto findings = judgement().findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "R04");
  EXPECT_EQ(findings[0].advice_id, "R04.launch_once");
  EXPECT_EQ(findings[0].lost_ns, 800 * 700'000);
  EXPECT_THAT(findings[0].evidence, HasSubstr("8.0 launches follow each other"));
}

TEST_F(LaunchesThatReadOneArray, AreNoFaultWhereL2KeepsIt) {
  kernel_.dram_read_bytes = 1'000'000;
  EXPECT_TRUE(judgement().findings.empty());
  kernel_.dram_read_bytes = row_.array_bytes = 50'000'000;
  EXPECT_TRUE(judgement().findings.empty());
}

TEST_F(LaunchesThatReadOneArray, AreNoFaultOneByOne) {
  row_.in_a_row = 1;
  EXPECT_TRUE(judgement().findings.empty());
}

// A thread has no registers for more than eight; a product has them all.
TEST_F(LaunchesThatReadOneArray, ManyAreOneOnlyOfAProduct) {
  row_.in_a_row = 32;
  EXPECT_EQ(judgement().findings.at(0).lost_ns, 800 * 700'000);
  row_.product = true;
  EXPECT_EQ(judgement().findings.at(0).lost_ns, 800 * 775'000);
  EXPECT_EQ(judgement().findings.at(0).advice_id, "R04.multiply_once");
}

TEST_F(LaunchesThatReadOneArray, AreNotPricedWithoutTheirTimes) {
  kernel_.median_gpu_ns.reset();
  EXPECT_EQ(judgement().findings.at(0).lost_ns, std::nullopt);
  kernel_.dram_read_bytes.reset();
  EXPECT_EQ(judgement().not_judged.size(), 1U);
}

}  // namespace
}  // namespace coalescope::analysis
