#include "reports/json/json.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "tests/support/schema_check_test.h"

namespace coalescope::json {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

const fs::path kSource = COALESCOPE_SOURCE_DIR;

json schema() {
  return json::parse(std::ifstream(kSource / "docs/report.schema.json"));
}
json parsed(const analysis::Report& report) {
  return json::parse(to_json(report, -1));
}

// One row of everything, so that the schema is asked about every member.
analysis::Report full_report() {
  analysis::Report report;
  report.command = {"./app", "--size", "4"};
  report.processes.emplace_back();
  report.devices.push_back({{}, 3.35e12, {{"DRAM", 2.58e12, "calibrated on this machine"}}, {}});
  report.devices.back().copy_curves = {{model::Direction::host_to_device,
                                        model::MemoryKind::pinned,
                                        "calibrated on this machine",
                                        {{4096, 1.2e9}}}};
  report.notices.push_back({.text = "A notice."});
  report.findings.emplace_back();
  report.findings.back().facts = {{"sectors_per_request", 32, "sectors"}};
  report.findings.back().advice_id = "G03.block_multiple";
  report.findings.back().advice_parameters = {{"empty_lanes", 16, "lanes"}};
  report.not_judged.emplace_back();
  report.program.timelines.emplace_back();
  report.program.l2_windows.emplace_back();
  report.kernels.emplace_back();
  report.kernels.back().unmeasured.push_back(
      {model::Phase::lines, model::CoverageReason::budget_spent, "why"});
  for (const auto& reason : model::kCoverageReasonNames)
    report.kernels.back().unmeasured.push_back({model::Phase::bytes, reason.value, "why"});
  report.lines.emplace_back();
  report.sources.push_back({"a.cu", {{1, "text", 4, 4}, {2, "text", std::nullopt, std::nullopt}}});
  report.transfers.emplace_back();
  report.call_lines.push_back({"train.py", 37, "step", {1, 2, 3}, "loss.backward()"});
  report.phases.emplace_back();
  report.diagnostics.emplace_back();
  report.calibration.emplace_back();
  return report;
}

TEST(Json, FollowsItsSchema) {
  EXPECT_THAT(schema_errors(schema(), parsed(full_report())), IsEmpty());
  EXPECT_THAT(schema_errors(schema(), parsed({})), IsEmpty());
}

TEST(Json, CommittedReportsFollowTheSchemaToo) {
  std::size_t checked = 0;
  for (const auto& entry : fs::directory_iterator(kSource / "tests/golden/cases")) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_THAT(schema_errors(schema(), json::parse(std::ifstream(entry.path()))), IsEmpty()) << entry.path();
    ++checked;
  }
  EXPECT_GT(checked, 0U);
}

// The check must be able to fail.
TEST(JsonSchema, SeesMissingForeignAndWrongMembers) {
  json document = parsed(full_report());
  document.erase("kernels");
  document["surprise"] = 1;
  document["findings"][0]["lost_ns"] = "much";
  document["transfers"][0]["direction"] = "sideways";
  EXPECT_THAT(schema_errors(schema(), document),
              testing::UnorderedElementsAre(HasSubstr("lacks \"kernels\""), HasSubstr("surprise"),
                                            HasSubstr("lost_ns: is not"), HasSubstr("sideways")));
}

TEST(JsonSchema, RefusesKeywordsThatItDoesNotKnow) {
  EXPECT_THAT(schema_errors(json{{"pattern", "x"}}, json("y")), ElementsAre(HasSubstr("'pattern'")));
}

TEST(Json, MissingIsNullAndEnumerationsAreNames) {
  const json document = parsed(full_report());
  EXPECT_TRUE(document["kernels"][0]["load"]["degree"].is_null());
  EXPECT_EQ(document["kernels"][0]["unmeasured"][0]["reason"], "budget_spent");
  EXPECT_EQ(document["findings"][0]["level"], "warning");
  EXPECT_EQ(document["schema_version"], kSchemaVersion);
}

TEST(Json, NumbersKeepTheirDigits) {
  analysis::Report report = full_report();
  report.kernels[0].gpu_ns = std::numeric_limits<std::int64_t>::max();
  report.kernels[0].share = 0.1;
  report.transfers[0].bandwidth = std::numeric_limits<double>::infinity();
  const json document = parsed(report);
  EXPECT_EQ(document["kernels"][0]["gpu_ns"], std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(document["kernels"][0]["share"], 0.1);
  EXPECT_TRUE(document["transfers"][0]["bandwidth"].is_null());
}

TEST(Json, SaysHowMuchIsHidden) {
  analysis::Report report = full_report();
  EXPECT_FALSE(parsed(report).contains("hidden"));
  report.hidden.kernels.resize(3);
  const json document = parsed(report);
  EXPECT_EQ(document["hidden"]["kernels"], 3);
  EXPECT_EQ(document["hidden"]["findings"], 0);
  EXPECT_THAT(schema_errors(schema(), document), IsEmpty());
}

TEST(Json, BytesThatAreNotUtf8AreReplaced) {
  analysis::Report report = full_report();
  report.kernels[0].name = "bad \xff name";
  EXPECT_EQ(parsed(report)["kernels"][0]["name"], "bad \xEF\xBF\xBD name");
}

TEST(Json, ControlCharactersAreEscaped) {
  analysis::Report report = full_report();
  report.kernels[0].name = "\x1b[2J";
  EXPECT_THAT(to_json(report, -1), HasSubstr("\\u001b[2J"));
}

}  // namespace
}  // namespace coalescope::json
