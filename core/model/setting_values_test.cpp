#include "core/model/setting_values.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>

namespace coalescope::model {
namespace {

TEST(SettingValues, ABudgetIsAShareATimeOrNoLimit) {
  EXPECT_EQ(read_budget("none")->limit.has_value(), false);
  EXPECT_EQ(read_budget("2s")->limit->grant_ns, 2'000'000'000);
  EXPECT_DOUBLE_EQ(read_budget("2s")->limit->share, 0);
  EXPECT_DOUBLE_EQ(read_budget("7.5%")->limit->share, 0.075);
  EXPECT_EQ(read_budget("7.5%")->limit->grant_ns, 1'000'000'000);
  EXPECT_EQ(read_budget("0%")->limit->grant_ns, 0);
  for (const char* text : {"", "10", "%", "-1%", "10%%", "nan%"}) EXPECT_FALSE(read_budget(text)) << text;
}

TEST(SettingValues, TheDefaultBudgetAllowsMoreForWhatHasNotBeenMeasured) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const Budget budget = *read_budget("auto")->limit;
  for (const std::int64_t seconds : {0, 2, 8, 14, 15, 25, 33, 60, 3600}) {
    const auto run_ns = seconds * kSecond;
    EXPECT_EQ(budget.allowed_ns(run_ns), kSecond + run_ns / 20);
    const auto first_ns = std::min(run_ns * 12 / 100, 4 * kSecond);
    EXPECT_EQ(budget.allowed_for_first_ns(run_ns), std::max(budget.allowed_ns(run_ns), first_ns)) << seconds;
  }
  EXPECT_EQ(read_budget("10%")->limit->allowed_for_first_ns(30 * kSecond), 4 * kSecond)
      << "as is said, no more";
  EXPECT_EQ(read_budget("2s")->limit->allowed_for_first_ns(100 * kSecond), 2 * kSecond);
}

TEST(SettingValues, PhasesAreAListWithTheTrace) {
  EXPECT_EQ(read_phases("trace"), (Phases{true}));
  EXPECT_EQ(read_phases("lines"), (Phases{true, false, true}));
  EXPECT_EQ(read_phases("counters"), (Phases{true, true, false, true, true}));
  EXPECT_EQ(read_phases("counters,lines"), (Phases{true, true, true, true, true}));
  for (const char* text : {"", "byte", "bytes,", ",bytes", "replay"}) EXPECT_FALSE(read_phases(text)) << text;
}

TEST(SettingValues, NumbersAreWhole) {
  EXPECT_EQ(read_number("0", 0), 0);
  EXPECT_EQ(read_trace("all")->most_listed, std::nullopt);
  EXPECT_EQ(read_trace("500")->most_listed, 500);
  for (const char* text : {"", "-1", "three", "3 ", "99999999999999999999"})
    EXPECT_FALSE(read_number(text, 0)) << text;
  EXPECT_FALSE(read_trace("0"));
}

TEST(SettingValues, AChoiceIsOneOfTwoWords) {
  EXPECT_EQ(read_choice("on", kFromStartChoice), true);
  EXPECT_EQ(read_choice("off", kFromStartChoice), false);
  EXPECT_EQ(read_choice("yes", kFromStartChoice), std::nullopt);
}

}  // namespace
}  // namespace coalescope::model
