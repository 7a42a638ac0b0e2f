#include "core/base/whole.h"

#include <gtest/gtest.h>
#include <limits>

namespace coalescope::base {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(Whole, RoundsAndStopsAtTheEnds) {
  EXPECT_EQ(whole(2.5), 3);
  EXPECT_EQ(whole(-2.5), -3);
  EXPECT_EQ(whole(1e300), kMostWhole);
  EXPECT_EQ(whole(-std::numeric_limits<double>::infinity()), -kMostWhole);
  EXPECT_EQ(whole(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(Whole, SumsAndProductsStopAtTheEnds) {
  EXPECT_EQ(sum_of(3, -5), -2);
  EXPECT_EQ(sum_of(kMax, kMax), kMostWhole);
  EXPECT_EQ(sum_of(kMin, -1), -kMostWhole);
  EXPECT_EQ(sum_of(kMostWhole, 1), kMostWhole);
  EXPECT_EQ(product_of(-3, 7), -21);
  EXPECT_EQ(product_of(kMax, kMax), kMostWhole);
  EXPECT_EQ(product_of(kMax, kMin), -kMostWhole);
  std::int64_t sum = kMostWhole;
  add_to(sum, kMostWhole);
  EXPECT_EQ(sum - -sum_of(kMostWhole, 1), 2 * kMostWhole) << "a difference of two fits";
}

}  // namespace
}  // namespace coalescope::base
