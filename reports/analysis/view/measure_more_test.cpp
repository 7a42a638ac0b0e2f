#include "reports/analysis/view/measure_more.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::Phase;

class MeasureMore : public testing::Test {
 protected:
  void lack(CoverageReason reason) { kernel_.unmeasured.push_back({Phase::lines, reason, "why"}); }
  std::optional<std::string> command(bool only_them) {
    const KernelRow* const rows[] = {&kernel_};
    return measure_more(report_, rows, only_them);
  }
  Report report_ = [] {
    Report report;
    report.command = {"./app", "first try"};
    return report;
  }();
  KernelRow kernel_ = [] {
    KernelRow kernel;
    kernel.name = "scale_rows<float, 4>";
    return kernel;
  }();
};

TEST_F(MeasureMore, NothingIsMissing) {
  EXPECT_EQ(command(true), std::nullopt);
}

TEST_F(MeasureMore, EachReasonHasItsOption) {
  lack(CoverageReason::too_few_launches);
  lack(CoverageReason::budget_spent);
  lack(CoverageReason::budget_spent);
  EXPECT_EQ(command(true), "coalescope record --budget none --rerun -k scale_rows -- ./app 'first try'");
  EXPECT_EQ(command(false), "coalescope record --budget none --rerun -- ./app 'first try'");
}

TEST_F(MeasureMore, SomeReasonsHaveNoRemedy) {
  lack(CoverageReason::skip_listed);
  EXPECT_EQ(command(true), std::nullopt);
}

TEST_F(MeasureMore, TheCommandMayNotBeKnown) {
  report_.command.clear();
  lack(CoverageReason::too_few_launches);
  EXPECT_EQ(command(false), "coalescope record --rerun -- PROGRAM");
}

}  // namespace
}  // namespace coalescope::analysis
