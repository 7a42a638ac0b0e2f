#include "reports/markdown/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace coalescope::markdown {
namespace {

using testing::HasSubstr;
using testing::Not;

analysis::Report sample(const std::string& name) {
  analysis::Report report;
  report.command = {"./app"};
  analysis::KernelRow kernel;
  kernel.id = 1;
  kernel.name = name;
  kernel.full_name = "void ns::" + name + "(int*)";
  kernel.load.degree = 0.125;
  kernel.store.sectors = 0;
  report.kernels = {kernel};
  report.findings.resize(1);
  report.findings[0].rule = "G01";
  report.findings[0].subject = name;
  report.findings[0].kernel_id = 1;
  report.findings[0].file = "dir/" + name + ".cu";
  report.findings[0].line = 14;
  report.lines.resize(1);
  report.lines[0].kernel_name = name;
  report.notices.push_back({.text = "Notice about " + name});
  return report;
}

// Every line that is a row of a table, with its cells counted as GitHub counts them.
std::vector<std::size_t> cells_of_rows(const std::string& markdown) {
  std::vector<std::size_t> counts;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|')) continue;
    std::size_t pipes = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++pipes;
    counts.push_back(pipes - 1);
  }
  return counts;
}

TEST(Markdown, SaysWhatAPersonNeeds) {
  const std::string text = to_markdown(sample("copy<3>"));
  EXPECT_THAT(text, HasSubstr("## coalescope: `./app`"));
  EXPECT_THAT(text, HasSubstr("| `copy<3>` | 0 | n/m | n/m | 12.5 % | none |"));
  EXPECT_THAT(text, HasSubstr("`dir/copy<3>.cu:14`"));
  EXPECT_THAT(text, HasSubstr("`void ns::copy<3>(int*)`"));
}

TEST(Markdown, AHostileNameChangesNoTable) {
  const auto expected = cells_of_rows(to_markdown(sample("copy")));
  for (const char* name :
       {"a|b", "a\\|b", "`|`", "a\n|b|c|", "<!--", "</details>", "\x1b[31m|", "``` |", "a\r\n## b"})
    EXPECT_EQ(cells_of_rows(to_markdown(sample(name))), expected) << name;
}

TEST(Markdown, AHostileNameIsNoMarkup) {
  const std::string text = to_markdown(sample("</details><script>alert(1)</script>`|"));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(to_markdown(sample("\x1b[2J\xff")), Not(HasSubstr("\x1b")));
}

TEST(Markdown, WithoutAnythingItSaysSo) {
  EXPECT_THAT(to_markdown({}), HasSubstr("there is nothing to judge"));
}

}  // namespace
}  // namespace coalescope::markdown
