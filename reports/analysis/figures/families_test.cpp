#include "reports/analysis/figures/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/profile/spreads.h"

namespace coalescope::analysis {
namespace {

using model::Calibration;
using model::Verdict;

Calibration row(const std::string& family, const std::string& quantity, Verdict verdict) {
  Calibration made;
  made.family = family;
  made.case_id = "case";
  made.quantity = quantity;
  made.measured = 2;
  made.verdict = verdict;
  return made;
}

TEST(Families, AreKnownByTheirWords) {
  EXPECT_EQ(family_title("A3"), "A3: copy with an offset");
  EXPECT_EQ(family_title("Z9"), "Z9");
  EXPECT_EQ(family_parameter("A4"), "stride in words");
}

TEST(Families, QuantitiesAreWordsForEveryKey) {
  EXPECT_EQ(quantity_words("bandwidth_gb_s"), "Bandwidth");
  EXPECT_EQ(quantity_words("global_load_sectors"), "global load sectors");
}

TEST(Families, ComeInTheirOrder) {
  const auto rows = by_family({row("B1", "x", Verdict::pass), row("A10", "x", Verdict::pass),
                               row("A2", "x", Verdict::pass), row("A2", "y", Verdict::pass)});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].quantity + rows[1].quantity, "xy");
  EXPECT_EQ(rows[2].family, "A10");
  EXPECT_EQ(rows[3].family, "B1");
}

TEST(Families, ASpreadBelongsToItsFigureAndIsNoneItself) {
  const std::vector<Calibration> rows{row("C1", "time_ns", Verdict::measured),
                                      row("C1", "time_ns_spread", Verdict::measured)};
  EXPECT_TRUE(profile::is_spread(rows[1]));
  const profile::Spreads spreads(rows);
  EXPECT_THAT(spreads.of(rows[0]), testing::Optional(2.0));
  EXPECT_EQ(spreads.of(rows[1]), std::nullopt);
  EXPECT_EQ(outcome(rows), "1 figure measured");
}

TEST(Families, TheOutcomeNamesWhatFailed) {
  const std::vector<Calibration> rows{row("A1", "n", Verdict::pass), row("A1", "m", Verdict::fail),
                                      row("A1", "k", Verdict::skipped)};
  EXPECT_EQ(outcome(rows), "1 of 2 counts exact, 1 failed, 1 skipped");
}

}  // namespace
}  // namespace coalescope::analysis
