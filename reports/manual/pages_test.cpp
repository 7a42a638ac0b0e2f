#include "reports/manual/pages.h"

#include <gtest/gtest.h>
#include <set>

#include "reports/analysis/rules/rules.h"

namespace coalescope::manual {
namespace {

TEST(Pages, EachRuleHasOneAndEachPageHasARule) {
  std::set<std::string_view> rules, explained;
  for (const auto* rule : analysis::rule_catalogue()) {
    EXPECT_TRUE(page_of(rule->id)) << "docs/rules/" << rule->id << ".md is missing, or its heading is not '# "
                                   << rule->id << ": title'";
    rules.insert(rule->id);
  }
  for (const Page& page : pages()) explained.insert(page.rule);
  EXPECT_EQ(explained, rules);
  EXPECT_EQ(explained.size(), pages().size()) << "two pages for one rule";
}

TEST(Pages, AreWholeAndSayWhatToChange) {
  for (const Page& page : pages()) {
    EXPECT_FALSE(page.title.empty()) << page.rule;
    EXPECT_TRUE(page.text.ends_with('\n')) << page.rule;
    EXPECT_NE(page.text.find("repair"), std::string_view::npos) << page.rule;
    EXPECT_NE(page.text.find("```"), std::string_view::npos) << page.rule << " shows no code";
  }
}

TEST(Pages, AreWithoutTheirPictures) {
  for (const Page& page : pages()) EXPECT_EQ(page.text.find("!["), std::string::npos) << page.rule;
  const Page* page = page_of("G01");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->text.find("\n\n\n"), std::string::npos) << "an empty line is left where a picture was";
}

TEST(Pages, AnUnknownRuleHasNone) {
  EXPECT_EQ(page_of("X99"), nullptr);
  EXPECT_EQ(page_of(""), nullptr);
}

}  // namespace
}  // namespace coalescope::manual
