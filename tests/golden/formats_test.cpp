// One report in every format: the same numbers in all of them, and names that a hostile program chose do no
// harm in any. Of the formats that are made for people and other programs two small captures are compared
// with committed files; numbers of the rest are compared with the JSON, which has files of its own.

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/units.h"
#include "reports/analysis/analyse.h"
#include "reports/analysis/row_fields.h"
#include "reports/analysis/view/view.h"
#include "reports/csv/csv.h"
#include "reports/csv/parse_test.h"
#include "reports/json/json.h"
#include "reports/markdown/markdown.h"
#include "reports/sarif/sarif.h"
#include "reports/text/text.h"
#include "tests/golden/capture_from_sql.h"
#include "tests/golden/committed_test.h"
#include "tests/support/schema_check_test.h"
#include "tool/report_formats.h"

namespace coalescope::golden {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const fs::path kSource = COALESCOPE_SOURCE_DIR;
constexpr const char* kVersion = "0.0.0";  // committed files do not change with each release

analysis::Report report_of(const std::string& name) {
  const fs::path capture =
      fs::temp_directory_path() / ("coalescope-formats-" + std::to_string(::getpid()) + name + ".coal");
  fs::remove(capture);
  make_capture(kCases / (name + ".sql"), capture);
  auto report = analysis::analyse(capture.string());
  fs::remove(capture);
  if (!report) throw std::runtime_error(report.error().text());
  report->capture_path = name + ".coal";
  if (const auto shown = analysis::apply_view(*report, {}); !shown)
    throw std::runtime_error(shown.error().text());
  return *report;
}

Json data_of(const analysis::Report& report) {
  return Json::parse(coalescope::json::to_json(report, -1));
}

// JSON and CSV also have those that stand aside, and say so.
Json shown_findings(const Json& data) {
  Json shown = Json::array();
  for (const auto& finding : data["findings"])
    if (finding["aside"].is_null()) shown.push_back(finding);
  return shown;
}

// A column of CSV and the member of JSON that it must equal.
struct Same {
  std::string column;
  std::string member;  // JSON pointer
};

template <class Row>
void add_fields(std::vector<Same>& list, const std::string& column, const std::string& member);

template <class Value>
void add_field(std::vector<Same>& list, const std::string& column, const std::string& member) {
  if constexpr (std::is_same_v<Value, analysis::Samples>)
    list.push_back({"launches_measured_" + column, member + "/measured"});
  else if constexpr (analysis::HasFields<Value>)
    add_fields<Value>(list, column + "_", member);
  else if constexpr (std::is_same_v<Value, std::array<std::int64_t, 3>>)
    for (int i = 0; i < 3; ++i) list.push_back({column + "_" + "xyz"[i], member + "/" + std::to_string(i)});
  else
    list.push_back({column, member});
}

template <class Row>
void add_fields(std::vector<Same>& list, const std::string& column, const std::string& member) {
  analysis::for_each_field<Row>([&]<class Field>(const Field& field) {
    if (!field.column.empty())
      add_field<typename Field::Value>(list, column + std::string(field.column),
                                       member + "/" + std::string(field.key));
  });
}

// Each field that is declared.
template <class Row>
std::vector<Same> fields_of() {
  std::vector<Same> list;
  add_fields<Row>(list, "", "");
  return list;
}
const std::vector<Same> kKernels = fields_of<analysis::KernelRow>();
const std::vector<Same> kLines = fields_of<analysis::LineRow>();
const std::vector<Same> kTransfers = fields_of<analysis::TransferRow>();
const std::vector<Same> kFindings = fields_of<analysis::Finding>();

void expect_same(const std::string& cell, const Json& member) {
  if (member.is_null())
    EXPECT_EQ(cell, "");
  else if (member.is_number_integer())
    EXPECT_EQ(cell, std::to_string(member.get<std::int64_t>()));
  else if (member.is_number())
    EXPECT_EQ(std::stod(cell), member.get<double>());
  else if (member.is_boolean())
    EXPECT_EQ(cell, member.get<bool>() ? "true" : "false");
  else if (member.is_array())
    EXPECT_EQ(cell.empty(), member.empty());
  else
    EXPECT_EQ(cell, member.get<std::string>());
}

void expect_same_table(const analysis::Report& report, csv::Table table, const char* rows,
                       const std::vector<Same>& columns) {
  const auto records = csv::parse(csv::to_csv(report, table));
  const Json data = data_of(report).at(rows);
  ASSERT_EQ(records.size(), data.size() + 1) << rows;
  for (std::size_t i = 0; i < data.size(); ++i)
    for (const Same& same : columns) {
      SCOPED_TRACE(std::string(rows) + " " + std::to_string(i) + " " + same.column);
      expect_same(csv::value(records, i + 1, same.column), data[i].at(Json::json_pointer(same.member)));
    }
}

// The rows of the Markdown table under a heading, each as one line.
std::vector<std::string> markdown_rows(const std::string& markdown, const std::string& heading) {
  std::vector<std::string> rows;
  std::istringstream lines(markdown.substr(std::min(markdown.find("### " + heading), markdown.size())));
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line) && !line.starts_with('|'))
    if (line.starts_with("##") || line.starts_with("<details>")) return rows;
  std::getline(lines, line);  // the dashes under the headings
  while (std::getline(lines, line) && line.starts_with('|')) rows.push_back(line);
  return rows;
}

void expect_numbers(const std::vector<std::string>& rows,
                    const std::vector<std::vector<std::string>>& numbers) {
  ASSERT_EQ(rows.size(), numbers.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& number : numbers[i]) EXPECT_THAT(rows[i], HasSubstr("| " + number + " |"));
}

class Formats : public testing::TestWithParam<const char*> {};

TEST_P(Formats, CsvHasTheNumbersOfTheJson) {
  const auto report = report_of(GetParam());
  expect_same_table(report, csv::Table::kernels, "kernels", kKernels);
  expect_same_table(report, csv::Table::lines, "lines", kLines);
  expect_same_table(report, csv::Table::transfers, "transfers", kTransfers);
  expect_same_table(report, csv::Table::findings, "findings", kFindings);
}

TEST_P(Formats, MarkdownHasTheNumbersOfTheJson) {
  const auto report = report_of(GetParam());
  const Json data = data_of(report);
  const std::string markdown = markdown::to_markdown(report);
  std::vector<std::vector<std::string>> kernels, transfers, findings;
  const auto share = [](const Json& value) {
    return value.is_null() ? std::string("n/m") : base::format_share(value.get<double>());
  };
  for (const auto& row : data["kernels"]) {
    kernels.push_back({base::format_count(row["launches"]), share(row["share"])});
    if (!row["gpu_ns"].is_null()) kernels.back().push_back(base::format_ns(row["gpu_ns"]));
    if (!row["load"]["degree"].is_null()) kernels.back().push_back(share(row["load"]["degree"]));
    if (!row["dram_read_bytes"].is_null())
      kernels.back().push_back(base::format_bytes(row["dram_read_bytes"].get<double>()));
  }
  for (const auto& row : data["transfers"])
    transfers.push_back({base::format_count(row["transfers"]), base::format_ns(row["gpu_ns"]),
                         base::format_bandwidth(row["bandwidth"])});
  for (const auto& row : shown_findings(data)) {
    findings.push_back({row["rule"]});
    if (!row["lost_ns"].is_null()) findings.back().push_back(base::format_ns(row["lost_ns"]));
  }
  expect_numbers(markdown_rows(markdown, "Kernels"), kernels);
  expect_numbers(markdown_rows(markdown, "Transfers"), transfers);
  expect_numbers(markdown_rows(markdown, "Findings"), findings);
}

TEST_P(Formats, SarifHasTheFindingsOfTheJson) {
  const auto report = report_of(GetParam());
  const Json data = shown_findings(data_of(report));
  const Json log = Json::parse(sarif::to_sarif(report, kVersion));
  const Json schema = Json::parse(std::ifstream(kSource / "reports/sarif/schema_test.json"));
  EXPECT_THAT(coalescope::json::schema_errors(schema, log), IsEmpty());
  const Json& results = log["runs"][0]["results"];
  ASSERT_EQ(results.size(), data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(results[i]["ruleId"], data[i]["rule"]);
    EXPECT_EQ(results[i]["properties"].value("lost_ns", Json()), data[i]["lost_ns"]);
    EXPECT_EQ(results[i]["properties"].value("lost_share_of_run", Json()), data[i]["lost_share"]);
  }
}

// Whatever is asked for, all formats show the same rows.
TEST_P(Formats, APartIsTheSameInAll) {
  auto report = report_of(GetParam());
  analysis::ViewOptions options;
  options.sort = analysis::SortKey::launches;
  options.limit = 2;
  ASSERT_TRUE(analysis::apply_view(report, options));
  const Json data = data_of(report);
  EXPECT_LE(data["kernels"].size(), 2U);
  expect_same_table(report, csv::Table::kernels, "kernels", kKernels);
  expect_same_table(report, csv::Table::findings, "findings", kFindings);
  EXPECT_EQ(markdown_rows(markdown::to_markdown(report), "Kernels").size(), data["kernels"].size());
  EXPECT_EQ(Json::parse(sarif::to_sarif(report, kVersion))["runs"][0]["results"].size(),
            shown_findings(data).size());
}

INSTANTIATE_TEST_SUITE_P(Captures, Formats,
                         testing::Values("strided", "transfers", "no_permission", "reruns"),
                         [](const auto& test) { return std::string(test.param); });

// Every format with everything that a program can choose.
std::vector<std::string> all_formats(const analysis::Report& report) {
  std::vector<std::string> texts{text::to_text(report, {})};
  for (const tool::ReportFormat& format : tool::report_formats()) {
    if (format.takes != tool::ReportFormat::Takes::choice) texts.push_back(format.render(report, ""));
    if (format.choices == nullptr) continue;
    for (const auto& choice : format.choices()) texts.push_back(format.render(report, choice));
  }
  text::TextOptions verbose;
  verbose.verbose = true;
  texts.push_back(text::to_text(report, verbose));
  return texts;
}

TEST(FormatsHostile, NothingReachesATerminal) {
  for (const auto& text : all_formats(report_of("hostile")))
    for (const char c : text)
      EXPECT_FALSE((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r') || c == 0x7f) << text;
}

TEST(FormatsHostile, AllIsUtf8) {
  for (const auto& text : all_formats(report_of("hostile")))
    EXPECT_NO_THROW(static_cast<void>(Json(text).dump())) << text;
}

TEST(FormatsHostile, TablesKeepTheirShape) {
  auto report = report_of("hostile");
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    report.kernels[i].full_name = report.kernels[i].name =
        std::array{"=cmd|'/C calc'!A0", "a\",\"b", "x\r\n=1+1", "|a|`b`|", "@SUM(A1)"}[i % 5];
  const auto records = csv::parse(csv::to_csv(report, csv::Table::kernels));
  ASSERT_EQ(records.size(), report.kernels.size() + 1);
  for (std::size_t i = 1; i < records.size(); ++i)
    EXPECT_EQ(std::string("=+-@").find(csv::value(records, i, "name").front()), std::string::npos);
  EXPECT_EQ(markdown_rows(markdown::to_markdown(report), "Kernels").size(), report.kernels.size());
}

// Without the rules, which are a book of their own.
std::string sarif_without_rules(const analysis::Report& report) {
  auto log = nlohmann::ordered_json::parse(sarif::to_sarif(report, kVersion));
  log["runs"][0]["tool"]["driver"].erase("rules");
  return log.dump(1) + "\n";
}

TEST(FormatsGolden, AreAsCommitted) {
  const auto strided = report_of("strided"), transfers = report_of("transfers");
  expect_committed(kCases / "strided.md", markdown::to_markdown(strided));
  expect_committed(kCases / "strided.lines.csv", csv::to_csv(strided, csv::Table::lines));
  expect_committed(kCases / "strided.sarif", sarif_without_rules(strided));
  expect_committed(kCases / "transfers.csv", csv::to_csv(transfers, csv::Table::transfers));
}

}  // namespace
}  // namespace coalescope::golden
