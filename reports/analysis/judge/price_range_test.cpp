#include "reports/analysis/judge/price_range.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

Finding finding(std::string rule, std::optional<std::int64_t> lost_ns,
                std::optional<std::int64_t> subject_ns) {
  Finding made;
  made.rule = std::move(rule);
  made.lost_ns = lost_ns;
  made.subject_ns = subject_ns;
  take_range(made);
  return made;
}

TEST(PriceRange, IsOfTheSubjectsTimeAndKnowsTheRule) {
  const Finding known = finding("G01", 500, 1000), other = finding("T05", 500, 1000);
  EXPECT_EQ(known.least_lost_ns, 450);
  EXPECT_EQ(known.most_lost_ns, 550);
  EXPECT_LT(other.least_lost_ns, known.least_lost_ns) << "of few predictions less is known";
  EXPECT_GT(other.most_lost_ns, known.most_lost_ns);
}

TEST(PriceRange, MayBeOfTheLossItself) {
  const Finding pauses = finding("T08", 100, 1000);
  EXPECT_EQ(pauses.least_lost_ns, 63);
  EXPECT_EQ(pauses.most_lost_ns, 137);
}

TEST(PriceRange, EndsAtNothingAndAtAllOfTheTime) {
  EXPECT_EQ(finding("G01", 10, 1000).least_lost_ns, 0);
  EXPECT_EQ(finding("G01", 990, 1000).most_lost_ns, 1000);
}

TEST(PriceRange, IsOfPricedFindingsOnly) {
  EXPECT_EQ(finding("G01", std::nullopt, 1000).least_lost_ns, std::nullopt);
  EXPECT_EQ(finding("G01", 0, 1000).most_lost_ns, std::nullopt);
  EXPECT_EQ(finding("G01", 10, std::nullopt).most_lost_ns, std::nullopt);
}

}  // namespace
}  // namespace coalescope::analysis
