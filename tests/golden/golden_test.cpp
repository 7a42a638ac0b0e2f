// Every capture in cases/ (SQL) and in tests/fixtures/recorded/ (from a real GPU) becomes a report; text and
// JSON must equal the committed files beside it, and JSON must be as its schema says. scripts/update_golden
// rewrites those: read the difference before committing it.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "reports/analysis/analyse.h"
#include "reports/analysis/view/view.h"
#include "reports/json/json.h"
#include "reports/text/text.h"
#include "tests/golden/capture_from_sql.h"
#include "tests/golden/committed_test.h"
#include "tests/support/json_text.h"
#include "tests/support/schema_check_test.h"

namespace coalescope::golden {
namespace {

namespace fs = std::filesystem;

const fs::path kTests = fs::path(COALESCOPE_SOURCE_DIR) / "tests";
const fs::path kRecorded = kTests / "fixtures/recorded";
// Thousands of rows of a few kinds, and each kind stands in a smaller capture.
constexpr std::string_view kLarge = "calibration.coal";

void add_files(std::vector<fs::path>& paths, const fs::path& folder, std::string_view extension) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) paths.push_back(entry.path());
}

std::vector<fs::path> inputs() {
  std::vector<fs::path> paths;
  add_files(paths, kCases, ".sql");
  add_files(paths, kRecorded, ".coal");
  std::ranges::sort(paths);
  return paths;
}

const nlohmann::json& schema() {
  static const auto parsed =
      nlohmann::json::parse(std::ifstream(fs::path(COALESCOPE_SOURCE_DIR) / "docs/report.schema.json"));
  return parsed;
}

class Golden : public testing::TestWithParam<fs::path> {};

TEST_P(Golden, ReportIsAsCommitted) {
  const fs::path input = GetParam();
  fs::path capture = input;
  if (input.extension() == ".sql") {
    capture = fs::temp_directory_path() /
              ("coalescope-golden-" + std::to_string(::getpid()) + input.stem().string() + ".coal");
    fs::remove(capture);
    make_capture(input, capture);
  }
  auto report = analysis::analyse(capture.string());
  if (capture != input) fs::remove(capture);
  ASSERT_TRUE(report) << report.error().text();
  report->capture_path = input.stem().string() + ".coal";
  ASSERT_TRUE(analysis::apply_view(*report, {}));

  const bool recorded = input.extension() == ".coal";
  fs::path golden = kTests / "golden" / (recorded ? "recorded" : "cases") / input.stem();
  expect_committed(golden.replace_extension(".txt"), text::to_text(*report, {}));
  if (input.filename() != kLarge) {
    text::TextOptions verbose;
    verbose.verbose = true;
    expect_committed(golden.replace_extension(".verbose.txt"), text::to_text(*report, verbose));
    golden.replace_extension().replace_extension();
  }
  // Nobody reads thousands of lines; the cases show each kind of row.
  const auto data = nlohmann::ordered_json::parse(json::to_json(*report, -1));
  if (!recorded) expect_committed(golden.replace_extension(".json"), json_text(data) + "\n");
  EXPECT_THAT(json::schema_errors(schema(), data), testing::IsEmpty());
}

TEST(GoldenInputs, AreThere) {
  const auto paths = inputs();
  const auto count = [&](std::string_view extension) {
    return std::ranges::count(paths, extension,
                              [](const fs::path& path) { return path.extension().string(); });
  };
  EXPECT_GE(count(".sql"), 9);
  EXPECT_GE(count(".coal"), 3);
}

INSTANTIATE_TEST_SUITE_P(Captures, Golden, testing::ValuesIn(inputs()), [](const auto& test) {
  std::string name = test.param.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return (test.param.extension() == ".sql" ? "" : "recorded_") + name;
});

}  // namespace
}  // namespace coalescope::golden
