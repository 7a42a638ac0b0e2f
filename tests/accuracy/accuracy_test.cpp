// The analyser against the twins that were recorded on an H100. The table is in docs/accuracy.md.

#include "tests/accuracy/accuracy.h"

#include <gtest/gtest.h>

namespace coalescope::accuracy {
namespace {

// What is reached; raise them with the analyser, and never lower them without a reason in the commit.
constexpr double kLeastPrecision = 1.0;
constexpr double kLeastRecall = 1.0;
constexpr double kMostMedianError = 0.10;
constexpr double kMostError = 0.25;

class Accuracy : public testing::Test {
 protected:
  void SetUp() override {
    if (outcomes_.empty()) GTEST_SKIP() << "no twin was recorded yet: scripts/record_twins";
  }
  static void SetUpTestSuite() { outcomes_ = outcomes(); }
  inline static std::vector<Outcome> outcomes_;
};

TEST_F(Accuracy, EveryTwinWasRecorded) {
  EXPECT_EQ(missing(), std::vector<std::string>{});
}

TEST_F(Accuracy, NothingIsSaidOfRepairedPrograms) {
  for (const Outcome& outcome : outcomes_)
    for (const auto& noise : outcome.noise) ADD_FAILURE() << outcome.twin->id << ", " << noise;
  EXPECT_GE(summary_of(outcomes_).precision, kLeastPrecision);
}

TEST_F(Accuracy, FaultsAreFound) {
  for (const Outcome& outcome : outcomes_)
    if (outcome.twin->verdict == kernels::Verdict::fault && !outcome.found)
      std::printf("missed: %s (%s)\n", std::string(outcome.twin->id).c_str(),
                  std::string(outcome.twin->rule).c_str());
  EXPECT_GE(summary_of(outcomes_).recall, kLeastRecall);
}

TEST_F(Accuracy, FaultsAreFoundAtTheirLines) {
  for (const Outcome& outcome : outcomes_) EXPECT_TRUE(outcome.right_line.value_or(true)) << outcome.twin->id;
}

TEST_F(Accuracy, PredictedGainsComeTrue) {
  const Summary sum = summary_of(outcomes_);
  for (const Outcome& outcome : outcomes_)
    if (const auto error = outcome.error(); error && std::abs(*error) > kMostError)
      std::printf("off: %s by %.1f %%\n", std::string(outcome.twin->id).c_str(), 100 * *error);
  EXPECT_LE(sum.median_error.value_or(1), kMostMedianError);
  EXPECT_LE(sum.worst_error.value_or(1), kMostError);
}

}  // namespace
}  // namespace coalescope::accuracy
