#include "reports/html/data_table.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace coalescope::html {
namespace {

using testing::HasSubstr;
using testing::Not;

DataTable sample(std::size_t rows) {
  DataTable table{.id = "t",
                  .caption = "Sample",
                  .rows_are = "things",
                  .headings = {{"", "Name", "", Look::code}, {"", "Time", "How long.", Look::number}},
                  .chips = {"Odd"},
                  .rows_in_all = rows + 7};
  for (std::size_t at = 0; at < rows; ++at)
    table.rows.push_back({.anchors = {"row-" + std::to_string(at)},
                          .search = "",
                          .marks = static_cast<unsigned>(at % 2),
                          .cells = {{"copy", "", "", {}}, {"1 us", "", "1,000 ns", 1000.5}},
                          .parts = {{.heading = "Words", .words = {"first", "first"}}}});
  return table;
}

nlohmann::json data_of(const std::string& markup) {
  const auto begin = markup.find('>', markup.find("<script")) + 1;
  return nlohmann::json::parse(markup.substr(begin, markup.find("</script>") - begin));
}

TEST(DataTable, SaysEachTextOnce) {
  const auto data = data_of(data_table(sample(3)).markup());
  EXPECT_EQ(data["strings"], nlohmann::json::parse(R"(["", "copy", "1 us", "1,000 ns", "Words", "first"])"));
  EXPECT_EQ(data["columns"][0]["text"], nlohmann::json::parse("[1, 1, 1]"));
  EXPECT_FALSE(data["columns"][0].contains("exact")) << "no cell has one";
  EXPECT_EQ(data["columns"][1]["order"][2], 1000.5);
  EXPECT_EQ(data["marks"], nlohmann::json::parse("[0, 1, 0]"));
  EXPECT_EQ(data["parts"][0][0]["w"], nlohmann::json::parse("[5, 5]"));
}

TEST(DataTable, WithoutScriptTheFirstRowsAreThere) {
  const std::string markup = data_table(sample(kRowsWithoutScript + 10)).markup();
  EXPECT_THAT(markup, HasSubstr("<tr id=\"row-199\">"));
  EXPECT_THAT(markup, Not(HasSubstr("<tr id=\"row-200\">")));
  EXPECT_THAT(markup, HasSubstr("With JavaScript this table has 10 more rows."));
  EXPECT_THAT(markup, HasSubstr("7 more things are not shown here"));
}

TEST(DataTable, HostileTextClosesNothing) {
  DataTable table = sample(1);
  table.rows[0].cells[0].text = "</script></noscript><img src=x onerror=alert(1)>\x01";
  const std::string markup = data_table(table).markup();
  EXPECT_THAT(markup, Not(HasSubstr("<img")));
  EXPECT_EQ(markup.find("</script>"), markup.rfind("</script>"));
  EXPECT_EQ(markup.find("</noscript>"), markup.rfind("</noscript>"));
  EXPECT_THAT(data_of(markup)["strings"][1].get<std::string>(), HasSubstr("␁"));
}

TEST(DataTable, WhatIsMissingIsADashWithItsReason) {
  analysis::Shown value;
  value.state = analysis::Shown::State::not_measured;
  value.reason = "ran once";
  EXPECT_EQ(data_cell(value).text, "—");
  EXPECT_EQ(data_cell(value).exact, "ran once");
  EXPECT_EQ(data_cell(analysis::not_there(analysis::Shown::State::none)).text, "none");
}

}  // namespace
}  // namespace coalescope::html
