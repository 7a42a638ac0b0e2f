#include "tool/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/analysis/rules/rules.h"
#include "reports/text/cells.h"

namespace coalescope::tool {
namespace {

using testing::HasSubstr;

TEST(Rules, AllAreListedAndFit) {
  const std::string text = rules_text(60);
  for (const auto* rule : analysis::rule_catalogue()) EXPECT_THAT(text, HasSubstr(std::string(rule->id)));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text::width_of(line), 60U) << line;
}

TEST(Rules, DataHaveAllOfThemWithTheirThresholds) {
  const auto rules = nlohmann::json::parse(rules_json());
  const auto catalogue = analysis::rule_catalogue();
  ASSERT_EQ(rules.size(), catalogue.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(rules[i]["id"].get<std::string>(), catalogue[i]->id);
    EXPECT_EQ(rules[i]["limit"].get<double>(), catalogue[i]->limit);
    EXPECT_EQ(rules[i]["note"].get<bool>(), catalogue[i]->note);
    EXPECT_FALSE(rules[i]["families"].empty());
  }
}

TEST(Rules, AreNamedInAnyCase) {
  EXPECT_EQ(rule_named("g01").value_or(""), "G01");
  EXPECT_EQ(rule_named("G01").value_or(""), "G01");
}

TEST(Rules, AnUnknownOneIsAnsweredWithTheNearest) {
  const auto rule = rule_named("G0l1");
  ASSERT_FALSE(rule);
  EXPECT_THAT(rule.error().text(), HasSubstr("there is no rule 'G0l1'; did you mean 'G01'?"));
  ASSERT_FALSE(rule_named("nonsense"));
  EXPECT_THAT(rule_named("nonsense").error().text(), HasSubstr("'coalescope rules' lists all"));
}

}  // namespace
}  // namespace coalescope::tool
