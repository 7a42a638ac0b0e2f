#include "core/model/setting_values.h"

#include <gtest/gtest.h>

namespace coalescope::model {
namespace {

TEST(SettingValues, ABudgetIsAShareATimeOrNoLimit) {
  EXPECT_EQ(read_budget("none")->limit.has_value(), false);
  EXPECT_EQ(read_budget("2s")->limit->grant_ns, 2'000'000'000);
  EXPECT_DOUBLE_EQ(read_budget("2s")->limit->share, 0);
  EXPECT_DOUBLE_EQ(read_budget("7.5%")->limit->share, 0.075);
  EXPECT_EQ(read_budget("7.5%")->limit->grant_ns, kBudgetGrantNs);
  EXPECT_EQ(read_budget("0%")->limit->grant_ns, 0);
  for (const char* text : {"", "10", "%", "-1%", "10%%", "nan%"}) EXPECT_FALSE(read_budget(text)) << text;
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
