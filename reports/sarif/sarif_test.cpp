#include "reports/sarif/sarif.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "reports/analysis/rules/rules.h"
#include "tests/support/schema_check_test.h"

namespace coalescope::sarif {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

nlohmann::json schema() {
  return nlohmann::json::parse(
      std::ifstream(std::filesystem::path(COALESCOPE_SOURCE_DIR) / "reports/sarif/schema_test.json"));
}

nlohmann::json parsed(const analysis::Report& report) {
  return nlohmann::json::parse(to_sarif(report, "1.2.3"));
}

analysis::Report sample() {
  analysis::Report report;
  report.command = {"./app"};
  report.capture.working_directory = "/home/user/app";
  report.notices.push_back({.text = "Something was lost."});
  report.processes.emplace_back();
  report.processes.back().executable = "/home/user/app/build/app";
  analysis::KernelRow kernel;
  kernel.id = 1;
  kernel.name = "copy<3>";
  kernel.full_name = "void ns::copy<3>(float*)";
  kernel.mangled_name = "_ZN2ns4copyILi3EEEvPf";
  report.kernels = {kernel};
  report.findings.resize(2);
  auto& lines = report.findings[0];
  lines.rule = "G01";
  lines.level = analysis::Level::severe;
  lines.title = "Uncoalesced loads";
  lines.subject = kernel.name;
  lines.kernel_id = 1;
  lines.file = "/home/user/app/src/a.cu";
  lines.line = 14;
  lines.lost_ns = 400;
  lines.subject_ns = 1000;
  lines.lost_share = 0.2;
  auto& copies = report.findings[1];
  copies.rule = "T01";
  copies.level = analysis::Level::note;
  copies.subject = "pageable host to device, 64 MiB";
  return report;
}

nlohmann::json result(const analysis::Report& report, std::size_t index) {
  return parsed(report)["runs"][0]["results"][index];
}

TEST(Sarif, FollowsWhatTheStandardAsks) {
  EXPECT_THAT(coalescope::json::schema_errors(schema(), parsed(sample())), IsEmpty());
  EXPECT_THAT(coalescope::json::schema_errors(schema(), parsed({})), IsEmpty());
}

// The check must be able to fail.
TEST(SarifSchema, SeesWhatBreaksIt) {
  auto document = parsed(sample());
  document["version"] = "2.0.0";
  document["runs"][0]["results"][0]["level"] = "severe";
  document["runs"][0]["results"][0].erase("message");
  document["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["region"]["line"] = 1;
  EXPECT_GE(coalescope::json::schema_errors(schema(), document).size(), 4U);
}

TEST(Sarif, EachRuleStandsThereOnceWithItsPage) {
  const auto rules = parsed(sample())["runs"][0]["tool"]["driver"]["rules"];
  std::set<std::string> ids;
  for (const auto& rule : rules) {
    EXPECT_TRUE(ids.insert(rule["id"]).second) << rule["id"];
    EXPECT_THAT(rule["help"]["markdown"].get<std::string>(), HasSubstr("# " + rule["id"].get<std::string>()));
  }
  for (const auto* rule : analysis::rule_catalogue()) EXPECT_TRUE(ids.contains(std::string(rule->id)));
}

TEST(Sarif, AResultPointsAtItsRule) {
  const auto document = parsed(sample());
  const auto& run = document["runs"][0];
  for (const auto& one : run["results"])
    EXPECT_EQ(run["tool"]["driver"]["rules"][one["ruleIndex"].get<std::size_t>()]["id"], one["ruleId"]);
}

TEST(Sarif, SeverityIsALevel) {
  EXPECT_EQ(result(sample(), 0)["level"], "error");
  EXPECT_EQ(result(sample(), 1)["level"], "note");
}

TEST(Sarif, ALineIsRelativeToWhereTheProgramStarted) {
  const auto place = result(sample(), 0)["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "src/a.cu");
  EXPECT_EQ(place["artifactLocation"]["uriBaseId"], "WORKING_DIRECTORY");
  EXPECT_EQ(place["region"]["startLine"], 14);
  EXPECT_EQ(parsed(sample())["runs"][0]["originalUriBaseIds"]["WORKING_DIRECTORY"]["uri"],
            "file:///home/user/app/");
}

// GitHub refuses a file in which one result has no place.
TEST(Sarif, WithoutALineThePlaceIsTheProgram) {
  const auto place = result(sample(), 1)["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "build/app");
  EXPECT_FALSE(place.contains("region"));
  analysis::Report bare;
  bare.findings.resize(1);
  bare.findings[0].rule = "G01";
  EXPECT_THAT(coalescope::json::schema_errors(schema(), parsed(bare)), IsEmpty());
}

TEST(Sarif, AKernelIsALogicalLocationWithItsWholeName) {
  const auto kernel = result(sample(), 0)["locations"][0]["logicalLocations"][0];
  EXPECT_EQ(kernel["name"], "copy<3>");
  EXPECT_EQ(kernel["fullyQualifiedName"], "void ns::copy<3>(float*)");
  EXPECT_EQ(kernel["decoratedName"], "_ZN2ns4copyILi3EEEvPf");
}

TEST(Sarif, CostsAreNumbersAndUnknownOnesAreLeftOut) {
  const auto known = result(sample(), 0), unknown = result(sample(), 1);
  EXPECT_EQ(known["properties"]["lost_ns"], 400);
  EXPECT_EQ(known["properties"]["lost_share_of_subject"], 0.4);
  EXPECT_EQ(known["rank"], 20.0);
  EXPECT_FALSE(unknown["properties"].contains("lost_ns"));
  EXPECT_FALSE(unknown.contains("rank"));
}

TEST(Sarif, NoticesAreToldFirst) {
  EXPECT_EQ(parsed(sample())["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
            "Something was lost.");
}

TEST(Sarif, ALineThatCannotBeIsNone) {
  auto report = sample();
  for (const std::int64_t line : {-1L, 0L, 9223372036854775807L}) {
    report.findings[0].line = line;
    EXPECT_FALSE(result(report, 0)["locations"][0]["physicalLocation"].contains("region")) << line;
  }
}

TEST(Sarif, HostileNamesAreText) {
  auto report = sample();
  report.kernels[0].full_name = "\x1b[2J\xff{lambda()#1}";
  report.findings[0].subject = "{0}[click](https://evil.example)";
  report.findings[0].file = "//evil.example/a b\n.cu";
  const auto hostile = result(report, 0);
  EXPECT_THAT(coalescope::json::schema_errors(schema(), parsed(report)), IsEmpty());
  EXPECT_THAT(to_sarif(report, "1"), Not(HasSubstr("\\u001b")));
  EXPECT_THAT(hostile["message"]["text"].get<std::string>(),
              HasSubstr("{{0}}[click] (https://evil.example)"));
  EXPECT_EQ(hostile["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "file:///evil.example/a%20b%0A.cu");
  EXPECT_EQ(hostile["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "?[2J?{lambda()#1}");
}

TEST(Sarif, TheGatesViolationsAreItsResults) {
  gate::Result gate;
  gate.violations.push_back({"G01", "Uncoalesced loads", gate::Severity::warn, "copy<3>", "evidence"});
  gate.violations.back().finding = 0;
  gate.violations.back().suppressed = "until 2026-12-31: {known}";
  gate.violations.push_back(
      {"regression", "Regression", gate::Severity::error, "copy<3>", "load sectors +5.0 %"});
  const auto log = nlohmann::json::parse(to_sarif(sample(), "1.2.3", &gate));
  EXPECT_THAT(json::schema_errors(schema(), log), IsEmpty());
  const auto& run = log["runs"][0];
  ASSERT_EQ(run["results"].size(), 2U);
  const auto &known = run["results"][0], &regression = run["results"][1];
  EXPECT_EQ(known["level"], "warning") << "the policy says it, and not the finding's level";
  EXPECT_EQ(known["suppressions"][0]["justification"], "until 2026-12-31: {{known}}");
  EXPECT_EQ(regression["level"], "error");
  EXPECT_FALSE(regression.contains("suppressions"));
  const auto& rules = run["tool"]["driver"]["rules"];
  EXPECT_EQ(rules[regression["ruleIndex"].get<std::size_t>()]["id"], "regression");
}

}  // namespace
}  // namespace coalescope::sarif
