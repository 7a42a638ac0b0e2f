#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kTableRead = 4'000'000'000;

// Three kernels of 1 ms each read 4 GB, which DRAM gives in 0.8 ms.
class KernelsThatReadOneTable : public testing::Test {
 protected:
  KernelsThatReadOneTable() {
    machine_.dram = Ceiling{"DRAM", 5e12, "test"};
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      rows_[at].id = static_cast<std::int64_t>(at);
      rows_[at].dram_read_bytes = kTableRead;
      rows_[at].median_gpu_ns = 1'000'000;
      kernels_[at] = &rows_[at];
    }
    row_.times = 100;
    row_.again_bytes = {0, kTableRead, kTableRead};
  }
  [[nodiscard]] Judgement judgement() const {
    return test::judgement_of(kReadAgain, ReadAgainSubject{row_, machine_, kernels_});
  }

  Machine machine_;
  ReadAgainRow row_;
  std::array<KernelRow, 3> rows_;
  std::array<const KernelRow*, 3> kernels_{};
};

TEST_F(KernelsThatReadOneTable, CostWhatDramTakesToReadItAgain) {
  const auto findings = judgement().findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "F01");
  EXPECT_EQ(findings[0].advice_id, "F01.read_once");
  EXPECT_EQ(findings[0].lost_ns, 100 * 2 * 800'000);
  EXPECT_THAT(findings[0].evidence, HasSubstr("3 kernels one after the other"));
}

TEST_F(KernelsThatReadOneTable, AreNoFaultWhereL2HoldsIt) {
  rows_[1].dram_read_bytes = rows_[2].dram_read_bytes = 1'000;
  EXPECT_TRUE(judgement().findings.empty());
}

TEST_F(KernelsThatReadOneTable, AreNotPricedWithoutTheirTimes) {
  rows_[2].median_gpu_ns.reset();
  const auto findings = judgement().findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].lost_ns, std::nullopt);
  rows_[2].dram_read_bytes.reset();
  EXPECT_TRUE(judgement().findings.empty());
  EXPECT_EQ(judgement().not_judged.size(), 1U);
}

}  // namespace
}  // namespace coalescope::analysis
