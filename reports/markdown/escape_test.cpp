#include "reports/markdown/escape.h"

#include <gtest/gtest.h>

namespace coalescope::markdown {
namespace {

TEST(MarkdownProse, OurOwnSentencesStayReadable) {
  EXPECT_EQ(prose("32.0 sectors per request; 12.5 % of the bytes moved were asked for (G01)."),
            "32.0 sectors per request; 12.5 % of the bytes moved were asked for (G01).");
}

TEST(MarkdownProse, NothingBecomesMarkup) {
  EXPECT_EQ(prose("<img src=x onerror=alert(1)>"), "&lt;img src=x onerror=alert(1)&gt;");
  EXPECT_EQ(prose("a|b"), "a&#124;b");
  EXPECT_EQ(prose("`*_~[x](y)![z]$"), "&#96;\\*\\_\\~\\[x\\](y)\\!\\[z\\]&#36;");
  EXPECT_EQ(prose("\\|"), "&#92;&#124;");
  EXPECT_EQ(prose("&lt;"), "&amp;lt;");
}

TEST(MarkdownProse, NobodyIsMentionedAndNothingIsLinked) {
  EXPECT_EQ(prose("@everyone #12"), "@<!-- -->everyone #<!-- -->12");
  EXPECT_EQ(prose("https://x.example"), "https:<!-- -->//x.example");
  EXPECT_EQ(prose("www.x.example"), "w<!-- -->ww.x.example");
}

TEST(MarkdownProse, NoLineBeginsAListOrAHeading) {
  EXPECT_EQ(prose("- x"), "\\- x");
  EXPECT_EQ(prose("# x"), "#<!-- --> x");
  EXPECT_EQ(prose("12. x"), "12\\. x");
  EXPECT_EQ(prose("> x"), "&gt; x");
  EXPECT_EQ(prose("===").front(), '\\');
}

TEST(MarkdownProse, LinesAndEscapesAreGone) {
  EXPECT_EQ(prose("a\n\n# b\x1b[2J\xff"), "a??#<!-- --> b?\\[2J?");
}

TEST(MarkdownCode, NamesStandBetweenBackticksWhereTheyCan) {
  EXPECT_EQ(code("copy<3, 4>"), "`copy<3, 4>`");
  EXPECT_EQ(code("operator*_x"), "`operator*_x`");
}

TEST(MarkdownCode, NoNameLeavesItsCode) {
  EXPECT_EQ(code("a`b"), "<code>a&#96;b</code>");
  EXPECT_EQ(code("a|b<c>"), "<code>a&#124;b&#60;c&#62;</code>");
  EXPECT_EQ(code("a\\|"), "<code>a&#92;&#124;</code>");
  EXPECT_EQ(code(" a"), "<code> a</code>");
  EXPECT_EQ(code("a\nb"), "`a?b`");
}

}  // namespace
}  // namespace coalescope::markdown
