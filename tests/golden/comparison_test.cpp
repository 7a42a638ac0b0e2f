// A program before and after a repair, and a capture that is judged: each format compared with a committed
// file, and its data with the schema. The captures are twins that an H100 ran.

#include "reports/json/comparison.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "reports/analysis/analyse.h"
#include "reports/comparison/compare.h"
#include "reports/gate/gate.h"
#include "reports/html/comparison_page.h"
#include "reports/json/check.h"
#include "reports/junit/junit.h"
#include "reports/markdown/check.h"
#include "reports/markdown/comparison.h"
#include "reports/text/check.h"
#include "reports/text/comparison.h"
#include "tests/golden/capture_from_sql.h"
#include "tests/golden/committed_test.h"
#include "tests/support/json_text.h"
#include "tests/support/schema_check_test.h"

namespace coalescope::golden {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const fs::path kRoot = COALESCOPE_SOURCE_DIR;

analysis::Report twin(const std::string& name) {
  const fs::path capture =
      fs::temp_directory_path() / ("coalescope-twin-" + std::to_string(::getpid()) + name + ".coal");
  fs::remove(capture);
  make_capture(kRoot / "tests/fixtures/twins" / (name + ".sql"), capture);
  auto report = analysis::analyse(capture.string());
  fs::remove(capture);
  if (!report) throw std::runtime_error(report.error().text());
  report->capture_path = name + ".coal";
  return *report;
}

void expect_schema(const std::string& name, const nlohmann::ordered_json& data) {
  const auto schema = nlohmann::json::parse(std::ifstream(kRoot / "docs" / (name + ".schema.json")));
  EXPECT_THAT(json::schema_errors(schema, data), IsEmpty());
}

fs::path committed(const std::string& name) {
  return kRoot / "tests/golden/comparisons" / name;
}

class Repaired : public testing::TestWithParam<std::string> {};

TEST_P(Repaired, ComparisonIsAsCommitted) {
  const std::string& name = GetParam();
  const auto comparison = comparison::compare(twin(name + ".fault"), twin(name + ".clean"));
  expect_committed(committed(name + ".txt"), text::to_text(comparison, {}));
  text::TextOptions verbose;
  verbose.verbose = true;
  expect_committed(committed(name + ".verbose.txt"), text::to_text(comparison, verbose));
  expect_committed(committed(name + ".md"), markdown::to_markdown(comparison));
  const auto data = nlohmann::ordered_json::parse(json::to_json(comparison, -1));
  expect_committed(committed(name + ".json"), json_text(data) + "\n");
  expect_schema("comparison", data);
  const std::string page = html::to_html(comparison);
  EXPECT_THAT(page, HasSubstr("<meta name=\"generator\" content=\"coalescope\">"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  for (const auto& table : comparison::tables_of(comparison, 1, true))
    EXPECT_THAT(page, HasSubstr(table.heading));
}

INSTANTIATE_TEST_SUITE_P(Twins, Repaired,
                         testing::Values("strided_field", "shared_rows_32", "pageable_upload"),
                         [](const auto& test) { return test.param; });

TEST(Comparison, OfACaptureWithItselfIsNone) {
  for (const char* name : {"showcase", "torch"}) {
    const auto report =
        analysis::analyse((kRoot / "tests/fixtures/recorded" / (std::string(name) + ".coal")).string());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(comparison::compare(*report, *report).judgement, comparison::Judgement::same) << name;
  }
}

TEST(Comparison, HostileNamesDoNoHarm) {
  const fs::path capture =
      fs::temp_directory_path() / ("coalescope-hostile-" + std::to_string(::getpid()) + ".coal");
  fs::remove(capture);
  make_capture(kCases / "hostile.sql", capture);
  const auto hostile = analysis::analyse(capture.string());
  fs::remove(capture);
  ASSERT_TRUE(hostile) << hostile.error().text();
  const auto comparison = comparison::compare(*hostile, twin("strided_field.clean"));
  EXPECT_THAT(html::to_html(comparison), Not(HasSubstr("<script>alert")));
  for (const auto& text : {text::to_text(comparison, {}), markdown::to_markdown(comparison)})
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  const auto result = gate::judge(*hostile, &comparison, {}, "2026-01-01");
  EXPECT_THAT(junit::to_junit(result), Not(HasSubstr("<script>")));
}

TEST(Check, AnswerIsAsCommitted) {
  const auto before = twin("strided_field.clean"), after = twin("strided_field.fault");
  const auto comparison = comparison::compare(before, after);
  gate::Policy policy;
  policy.min_degree = 0.5;
  const auto result = gate::judge(after, &comparison, policy, "2026-01-01");
  expect_committed(committed("check.txt"), text::to_text(result, {}));
  expect_committed(committed("check.md"), markdown::to_markdown(result));
  expect_committed(committed("check.xml"), junit::to_junit(result));
  const auto data = nlohmann::ordered_json::parse(json::to_json(result, -1));
  expect_committed(committed("check.json"), json_text(data) + "\n");
  expect_schema("check", data);
}

}  // namespace
}  // namespace coalescope::golden
