#include "core/base/duration.h"

#include <gtest/gtest.h>

namespace coalescope::base {
namespace {

TEST(Duration, TakesTheUnitsThatPeopleWrite) {
  EXPECT_EQ(parse_duration_ns("30s"), 30'000'000'000);
  EXPECT_EQ(parse_duration_ns("500ms"), 500'000'000);
  EXPECT_EQ(parse_duration_ns("2m"), 120'000'000'000);
  EXPECT_EQ(parse_duration_ns("1.5s"), 1'500'000'000);
  EXPECT_EQ(parse_duration_ns("0s"), 0);
}

TEST(Duration, RefusesTheRest) {
  for (const char* text : {"", "s", "30", "30h", "-1s", "1s ", "nans", "infs", "1e300s", "10%"})
    EXPECT_EQ(parse_duration_ns(text), std::nullopt) << text;
}

}  // namespace
}  // namespace coalescope::base
