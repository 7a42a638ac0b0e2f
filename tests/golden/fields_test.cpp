// Each field that is declared for people is found in every format: in JSON and CSV by its name, in the long
// text and on the page with its value. Who declares one need do nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>

#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/view/columns.h"
#include "reports/csv/csv.h"
#include "reports/html/escape.h"
#include "reports/html/page.h"
#include "reports/json/json.h"
#include "reports/text/text.h"

namespace coalescope::golden {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// Every value another one.
template <class Value>
void fill(Value& value, std::int64_t& number) {
  if constexpr (analysis::HasFields<Value>)
    analysis::for_each_field<Value>([&](const auto& field) { fill(value.*field.member, number); });
  else if constexpr (requires { value.has_value(); })
    fill(value.emplace(), number);
  else if constexpr (std::is_same_v<Value, bool>)
    value = true;
  else if constexpr (std::is_integral_v<Value>)
    value = number += 1'234'567;
  else if constexpr (std::is_floating_point_v<Value>)
    value = static_cast<double>((number += 1'234'567) % 997) / 1000.0;
  else if constexpr (std::is_same_v<Value, std::string>)
    value = "text" + std::to_string(number += 1'234'567);
  else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
    fill(value.emplace_back(), number);
  else if constexpr (std::is_same_v<Value, std::array<std::int64_t, 3>>)
    for (auto& each : value) fill(each, number);
}

// A word is followed by one blank, however lines were broken and whatever markup stands around it.
std::string plain(const std::string& text) {
  return std::regex_replace(std::regex_replace(text, std::regex("<[^>]*>"), " "), std::regex("\\s+"), " ");
}

// The least value of a range leaves its unit to the greatest: "35.4 to 63.5 %".
std::string begin_of_range(const std::string& shown) {
  return shown.substr(0, shown.rfind(' ')) + " to ";
}

template <class Row>
void expect_everywhere(std::vector<Row> analysis::Report::*rows, csv::Table table) {
  analysis::Report report;
  std::int64_t number = 0;
  Row& row = (report.*rows).emplace_back();
  fill(row, number);
  // The page has kernels by their families.
  if constexpr (std::is_same_v<Row, analysis::KernelRow>)
    report.kernel_families = analysis::kernel_families(report.kernels);
  text::TextOptions options;
  options.verbose = true;
  options.width = 160;
  const std::string text = plain(text::to_text(report, options)), page = plain(html::to_html(report));
  const std::string json = json::to_json(report, -1), csv = csv::to_csv(report, table);
  for (const auto& column : analysis::all_columns<Row>()) {
    SCOPED_TRACE(column.key);
    EXPECT_THAT(json, HasSubstr("\"" + column.key.substr(column.key.find('.') + 1) + "\":"));
    if (column.show == analysis::Show::hidden) continue;
    if (column.key == "pc_offset") continue;  // stands in the place of the line, where that is not known
    EXPECT_FALSE(column.heading.empty());
    const std::string shown = plain(column.shown(row).text), range = begin_of_range(shown);
    EXPECT_THAT(text, AnyOf(HasSubstr(shown), HasSubstr(range)));
    // As markup, or in the data of a table.
    EXPECT_THAT(page, AnyOf(HasSubstr(html::escape_text(shown)), HasSubstr(html::escape_json(shown)),
                            HasSubstr(html::escape_json(range))));
  }
  analysis::for_each_field<Row>(
      [&](const auto& field) { EXPECT_THAT(csv, HasSubstr(std::string(field.column))); });
}

TEST(Fields, OfKernelsAreInEveryFormat) {
  expect_everywhere(&analysis::Report::kernels, csv::Table::kernels);
}
TEST(Fields, OfLinesAreInEveryFormat) {
  expect_everywhere(&analysis::Report::lines, csv::Table::lines);
}
TEST(Fields, OfTransfersAreInEveryFormat) {
  expect_everywhere(&analysis::Report::transfers, csv::Table::transfers);
}

// A field that no table knows: declared here, and listed at once.
struct Novel {
  std::int64_t known = 1;
  std::optional<double> added = 0.5;
};

}  // namespace
}  // namespace coalescope::golden

namespace coalescope::analysis {

template <>
struct Fields<golden::Novel> {
  static constexpr std::string_view kName = "novel", kAbout = "";
  static constexpr auto kAll = base::pack(
      Field{"known", &golden::Novel::known, "", "Known", Show::count, "", ""},
      Field{"added", &golden::Novel::added, "", "Added", Show::share, "of it", "", {model::Phase::lines}});
};

}  // namespace coalescope::analysis

namespace coalescope::golden {
namespace {

TEST(Fields, WhatNoTableNamesIsListed) {
  const auto rest = analysis::rest_of<Novel>({"known"});
  EXPECT_EQ(analysis::listed(Novel{}, rest), "Added 50.0 %");
  EXPECT_EQ(analysis::listed(Novel{1, std::nullopt}, rest), "") << "missing";
}

TEST(Fields, WhatIsMissingSaysWhetherThereIsNone) {
  analysis::KernelRow row;
  const auto degree = analysis::columns_of<analysis::KernelRow>("load.degree").front();
  EXPECT_EQ(degree.shown(row).text, "n/m");
  row.load.sectors = 0;
  EXPECT_EQ(degree.shown(row).text, "none");
}

}  // namespace
}  // namespace coalescope::golden
