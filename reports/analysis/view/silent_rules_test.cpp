#include "reports/analysis/view/silent_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using testing::ElementsAre;

TEST(SilentRules, AreTogetherWhereTheirReasonIs) {
  Report report;
  const auto add = [&](const char* rule, const char* why, const char* subject) {
    NotJudged& row = report.not_judged.emplace_back();
    row.rule = rule;
    row.why = why;
    row.subject = subject;
    row.subjects = 6;
  };
  add("G01", "no sectors", "copy");
  add("G01", "no sectors", "copy");
  add("S01", "no lines", "copy");
  add("A01", "no sectors", "copy");
  add("A01", "no sectors", "sum");
  const auto rules = silent_rules(report);
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_THAT(rules[0].rules, ElementsAre("G01", "A01"));
  EXPECT_EQ(rules[0].subjects, 6);
  EXPECT_THAT(rules[1].rules, ElementsAre("S01"));
  EXPECT_EQ(rules[2].subject, "sum");
}

}  // namespace
}  // namespace coalescope::analysis
