// The analyser against the twins that were recorded on an H100. The table is in docs/accuracy.md; what it is
// known not to get right, in gaps.cpp.

#include "tests/accuracy/accuracy.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "tests/accuracy/gaps.h"

namespace coalescope::accuracy {
namespace {

constexpr double kMostMedianError = 0.10;
constexpr double kRounding = 0.01;  // that a listed error may differ by

std::string names_of(const std::set<Gap>& gaps) {
  std::string names;
  for (const Gap gap : gaps) names += (names.empty() ? "" : ", ") + std::string(name_of(gap));
  return names.empty() ? "right" : names;
}

class Accuracy : public testing::Test {
 protected:
  static void SetUpTestSuite() { outcomes_ = outcomes(); }

  static const Outcome* outcome_of(std::string_view id) {
    const auto found =
        std::ranges::find(outcomes_, id, [](const Outcome& outcome) { return outcome.twin->id; });
    return found == outcomes_.end() ? nullptr : &*found;
  }

  inline static std::vector<Outcome> outcomes_;
};

TEST_F(Accuracy, ListedGapsAreOfTwins) {
  for (const KnownGap& known : known_gaps()) {
    EXPECT_TRUE(kernels::twin_named(known.id)) << known.id;
    EXPECT_FALSE(known.reason.empty()) << known.id;
  }
}

// Fails where the analyser gets worse, and where it gets better than the list says.
TEST_F(Accuracy, NothingIsWrongButWhatIsListed) {
  for (const kernels::Twin& twin : kernels::twins()) {
    const Outcome* outcome = outcome_of(twin.id);
    const auto gaps = outcome != nullptr ? gaps_of(*outcome) : std::set<Gap>{Gap::unrecorded};
    std::string noise;
    if (outcome != nullptr)
      for (const auto& each : outcome->noise) noise += "\n  " + each;
    EXPECT_EQ(gaps, known_gaps_of(twin))
        << twin.id << " is: " << names_of(gaps) << "; listed: " << names_of(known_gaps_of(twin)) << noise;
  }
}

TEST_F(Accuracy, ListedGapsDoNotGrow) {
  for (const KnownGap& known : known_gaps()) {
    const Outcome* outcome = outcome_of(known.id);
    if (outcome == nullptr) continue;
    if (known.gap == Gap::far_off) {
      EXPECT_LE(std::abs(outcome->error().value_or(1)), known.most + kRounding) << known.id;
    }
    if (known.gap == Gap::false_alarm) {
      EXPECT_LE(static_cast<double>(outcome->noise.size()), known.most) << known.id;
    }
  }
}

TEST_F(Accuracy, PredictedGainsComeTrue) {
  EXPECT_LE(summary_of(outcomes_).median_error.value_or(1), kMostMedianError);
}

TEST_F(Accuracy, FourOfFiveMeasuredGainsLieInTheirRange) {
  const Summary summary = summary_of(outcomes_);
  ASSERT_GT(summary.priced, 0);
  EXPECT_GE(summary.within, 0.8 * summary.priced);
}

}  // namespace
}  // namespace coalescope::accuracy
