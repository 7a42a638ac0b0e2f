#include "reports/html/table.h"

#include <array>
#include <gmock/gmock.h>

namespace coalescope::html {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::array<Column<int>, 2> kColumns{{
    {"", "Name", "What it is called.", Align::text,
     [](const int& row) {
       return Cell{std::to_string(row) + "<", "", std::nullopt};
     }},
    {"Counts", "Twice", "", Align::number,
     [](const int& row) {
       return Cell{"2x", "exactly", 2.0 * row};
     }},
}};

std::string of(std::vector<int> rows) {
  return table<int>({"numbers", "Some numbers", "numbers"}, kColumns, rows).markup();
}

TEST(Table, HasCaptionHeadingsAndCells) {
  const std::string html = of({7});
  EXPECT_THAT(html, HasSubstr("<caption>Some numbers</caption>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"colgroup\" colspan=\"1\">Counts</th>"));
  EXPECT_THAT(html, HasSubstr("<th class=\"text\" scope=\"row\">7&lt;</th>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\" title=\"exactly\" data-order=\"14\">2x</td>"));
}

TEST(Table, SaysWhatColumnsMeanWithoutAPointer) {
  EXPECT_THAT(of({1}), HasSubstr("<dt>Name</dt><dd>What it is called.</dd>"));
}

TEST(Table, SaysHowManyRowsItLeavesOutAndWhereTheyAre) {
  EXPECT_THAT(of(std::vector<int>(kRowsShown)), Not(HasSubstr("more numbers")));
  EXPECT_THAT(of(std::vector<int>(kRowsShown + 1234)),
              HasSubstr("1,234 more numbers are not shown here; coalescope report FILE <span "
                        "class=\"option\">--json</span> lists all of them."));
}

TEST(Table, RowsHaveAnchors) {
  const std::array rows{3};
  const auto html =
      table<int>({"t", "t", "rows"}, kColumns, rows, [](int row) { return "row-" + std::to_string(row); });
  EXPECT_THAT(html.markup(), HasSubstr("<tr id=\"row-3\">"));
}

}  // namespace
}  // namespace coalescope::html
