#include "reports/text/manual_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/text/cells.h"

namespace coalescope::text {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ResultOf;

constexpr std::string_view kPage =
    "# G01: Uncoalesced loads\n\n**Symptom.** One two three four five six seven\neight nine ten.\n\n\n"
    "```\nout[i * 32] = in[i * 32];          // **kept** as it is, whatever its width\n```\n- an item that "
    "is long enough to be wrapped\n";

TEST(ManualPage, IsWrappedAndItsCodeIsKept) {
  EXPECT_THAT(manual_page_lines(kPage, {}, 30),
              ElementsAre("G01: Uncoalesced loads", "", "Symptom. One two three four",
                          "five six seven eight nine ten.", "",
                          "    out[i * 32] = in[i * 32];          // **kept** as it is, whatever its width",
                          "- an item that is long enough", "  to be wrapped"));
}

TEST(ManualPage, HeadingsStandOutOnATerminalOnly) {
  EXPECT_THAT(manual_page_lines(kPage, {}, 80), Each(Not(HasSubstr("\x1b"))));
  const auto lines = manual_page_lines(kPage, {true}, 80);
  EXPECT_EQ(lines[0], "\x1b[1mG01: Uncoalesced loads\x1b[0m");
  EXPECT_THAT(lines[2], testing::StartsWith("\x1b[1mSymptom.\x1b[0m One"));
}

TEST(ManualPage, TablesHaveColumnsThatFit) {
  const auto lines = manual_page_lines(
      "| seen | repair |\n|---|---|\n| a \\| b | pad the rows so that each begins on a boundary |\n| c | d "
      "|\n",
      {}, 30);
  EXPECT_THAT(lines, Each(ResultOf(width_of, testing::Le(30U))));
  EXPECT_EQ(lines.front(), "seen   repair");
  EXPECT_THAT(lines[1], testing::StartsWith("a | b  pad the rows"));
  EXPECT_EQ(lines.back(), "c      d");
}

}  // namespace
}  // namespace coalescope::text
