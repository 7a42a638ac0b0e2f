#include "reports/analysis/view/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/view/summary.h"

namespace coalescope::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

KernelRow kernel(std::int64_t id, std::string name, std::int64_t launches, std::optional<std::int64_t> gpu_ns,
                 std::optional<double> degree) {
  KernelRow row;
  row.id = id;
  row.name = std::move(name);
  row.full_name = "void ns::" + row.name + "(float*)";
  row.mangled_name = "_Z" + std::to_string(row.name.size()) + row.name + "Pf";
  row.launches = launches;
  row.gpu_ns = gpu_ns;
  row.load.degree = degree;
  return row;
}

Finding finding(std::string rule, std::optional<std::int64_t> kernel_id, std::string subject,
                std::optional<std::int64_t> lost_ns) {
  Finding row;
  row.rule = std::move(rule);
  row.kernel_id = kernel_id;
  row.subject = std::move(subject);
  row.lost_ns = lost_ns;
  return row;
}

LineRow line(std::int64_t kernel_id, std::int64_t number, std::int64_t sectors) {
  LineRow row;
  row.kernel_id = kernel_id;
  row.file = "a.cu";
  row.line = number;
  row.sectors = sectors;
  return row;
}

Report sample() {
  Report report;
  report.kernels = {kernel(1, "slow", 5, 900, 0.9), kernel(2, "busy", 800, 500, 0.125),
                    kernel(3, "untimed", 70, std::nullopt, std::nullopt)};
  report.findings = {finding("G01", 2, "busy", 400), finding("T01", std::nullopt, "a copy", 300),
                     finding("G02", 1, "slow", std::nullopt)};
  report.lines = {line(2, 14, 100), line(1, 7, 900), line(3, 30, 10)};
  report.sources = {{"a.cu", {{14, "busy", 100, 50}}}, {"a.cu", {{30, "untimed", 10, 10}}}};
  report.transfers.resize(2);
  report.transfers[0].transfers = 3;
  report.transfers[1].transfers = 9;
  report.notices.push_back({.text = "Something was lost."});
  return report;
}

std::vector<std::string> names(const Report& report) {
  std::vector<std::string> result;
  for (const auto& row : report.kernels) result.push_back(row.name);
  return result;
}
std::vector<std::string> rules(const Report& report) {
  std::vector<std::string> result;
  for (const auto& row : report.findings) result.push_back(row.rule);
  return result;
}
std::vector<std::int64_t> lines(const Report& report) {
  std::vector<std::int64_t> result;
  for (const auto& row : report.lines) result.push_back(*row.line);
  return result;
}

Report viewed(const ViewOptions& options) {
  Report report = sample();
  EXPECT_TRUE(apply_view(report, options));
  return report;
}

TEST(View, WithoutOptionsNothingChanges) {
  const Report report = viewed({});
  EXPECT_THAT(names(report), ElementsAre("slow", "busy", "untimed"));
  EXPECT_THAT(report.notices, ElementsAre(testing::Field(&model::Diagnostic::text, "Something was lost.")));
  EXPECT_FALSE(report.sorted_by);
}

TEST(View, AKernelComesWithItsLinesFindingsAndSource) {
  ViewOptions options;
  options.kernel = "^busy";
  const Report report = viewed(options);
  EXPECT_THAT(names(report), ElementsAre("busy"));
  EXPECT_THAT(rules(report), ElementsAre("G01"));
  EXPECT_THAT(lines(report), ElementsAre(14));
  ASSERT_EQ(report.sources.size(), 1U);
  EXPECT_EQ(report.sources[0].lines[0].number, 14);
  EXPECT_EQ(report.transfers.size(), 2U) << "they are of no kernel";
}

TEST(View, AKernelIsFoundByEachOfItsNames) {
  for (const char* pattern : {"^busy$", "ns::busy\\(float\\*\\)", "^_Z4busyPf$"}) {
    ViewOptions options;
    options.kernel = pattern;
    EXPECT_THAT(names(viewed(options)), ElementsAre("busy")) << pattern;
  }
}

TEST(View, AWrongExpressionIsRefused) {
  Report report = sample();
  ViewOptions options;
  options.kernel = "(unclosed";
  const auto applied = apply_view(report, options);
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().message, HasSubstr("(unclosed"));
}

TEST(View, RulesSelectFindingsAndNothingElse) {
  ViewOptions options;
  options.rules = {"T01", "G02"};
  const Report report = viewed(options);
  EXPECT_THAT(rules(report), ElementsAre("T01", "G02"));
  EXPECT_EQ(report.kernels.size(), 3U);
}

TEST(View, WhatIsMissingIsSortedLast) {
  const auto sorted = [](SortKey key) {
    ViewOptions options;
    options.sort = key;
    return viewed(options);
  };
  EXPECT_THAT(names(sorted(SortKey::launches)), ElementsAre("busy", "untimed", "slow"));
  EXPECT_THAT(names(sorted(SortKey::degree)), ElementsAre("busy", "slow", "untimed"));
  EXPECT_THAT(names(sorted(SortKey::name)), ElementsAre("busy", "slow", "untimed"));
  EXPECT_THAT(names(sorted(SortKey::lost)), ElementsAre("busy", "slow", "untimed"));
  EXPECT_THAT(names(sorted(SortKey::time)), ElementsAre("slow", "busy", "untimed"));
  EXPECT_THAT(rules(sorted(SortKey::launches)), ElementsAre("G01", "G02", "T01"));
  EXPECT_THAT(lines(sorted(SortKey::bytes)), ElementsAre(7, 14, 30));
  EXPECT_THAT(lines(sorted(SortKey::launches)), ElementsAre(14, 30, 7));
  EXPECT_EQ(sorted(SortKey::launches).transfers[0].transfers, 9);
}

// Copies that wait and copies that do not have one name.
TEST(View, LostTimeGoesToTheRowThatTheFindingIsAbout) {
  Report report = sample();
  for (auto& row : report.transfers) row.id = &row - report.transfers.data() + 1;
  report.findings[1].subjects = {{SubjectKind::transfers, 2}};
  ViewOptions options;
  options.sort = SortKey::lost;
  ASSERT_TRUE(apply_view(report, options));
  EXPECT_EQ(report.transfers[0].id, 2);
}

TEST(View, ALimitTakesTheFirstOfTheOrderThatWasAskedFor) {
  ViewOptions options;
  options.sort = SortKey::launches;
  options.limit = 1;
  const Report report = viewed(options);
  EXPECT_THAT(names(report), ElementsAre("busy"));
  EXPECT_THAT(rules(report), ElementsAre("G01"));
  EXPECT_EQ(report.transfers.size(), 1U);
}

TEST(View, HiddenRowsCanStillBeReferredTo) {
  ViewOptions options;
  options.rules = {"G02"};
  options.limit = 1;
  Report report = sample();
  std::swap(report.kernels[0], report.kernels[1]);
  ASSERT_TRUE(apply_view(report, options));
  EXPECT_THAT(names(report), ElementsAre("busy"));
  ASSERT_EQ(report.findings.size(), 1U);
  const auto kernels = kernels_by_id(report);
  EXPECT_EQ(kernels.at(*report.findings[0].kernel_id)->name, "slow");
  EXPECT_EQ(kernels.size(), 3U);
}

TEST(View, APartIsNotTakenForTheWhole) {
  ViewOptions options;
  options.kernel = "busy";
  options.limit = 1;
  const Report report = viewed(options);
  ASSERT_FALSE(report.notices.empty());
  EXPECT_EQ(report.notices[0].text,
            "Only a part is shown: 1 of 3 findings, 1 of 3 kernels, 1 of 3 source lines, 1 of 2 classes of "
            "transfers (--kernel busy --limit 1).");
}

Report with_findings_aside() {
  Report report = sample();
  report.findings[0].aside = Aside::small;
  report.findings[1].aside = Aside::library;
  report.findings.push_back(finding("G02", 2, "busy", 0));
  report.findings.back().aside = Aside::note;
  return report;
}

TEST(View, WhatNobodyCanActOnIsCounted) {
  Report report = with_findings_aside();
  ASSERT_TRUE(apply_view(report, {}));
  EXPECT_THAT(rules(report), ElementsAre("G02", "G01")) << "what is small stands last";
  EXPECT_EQ(ranked_findings(report).size(), 1U);
  EXPECT_EQ(findings_aside(report),
            "1 finding inside library kernels, 1 that is small and 1 note are hidden; coalescope report FILE "
            "--all shows them.");
  EXPECT_EQ(report.hidden.by_default.library, 1);
  EXPECT_EQ(report.hidden.findings.size(), 2U);
  EXPECT_EQ(report.notices.size(), 1U) << "it is the whole all the same";
}

TEST(View, AllShowsAll) {
  Report report = with_findings_aside();
  ViewOptions options;
  options.all = true;
  ASSERT_TRUE(apply_view(report, options));
  EXPECT_THAT(rules(report), ElementsAre("G01", "T01", "G02", "G02"));
  EXPECT_EQ(ranked_findings(report).size(), 4U);
  EXPECT_EQ(findings_aside(report), "");
}

TEST(View, ToolsAreInNoRanking) {
  Report report = sample();
  report.kernels[0].origin = Origin::tool;
  report.findings[2].aside = Aside::tool;
  ASSERT_TRUE(apply_view(report, {}));
  EXPECT_THAT(names(report), ElementsAre("busy", "untimed"));
  EXPECT_THAT(lines(report), ElementsAre(14, 30));
  EXPECT_EQ(report.hidden.by_default.kernels, 1);
  EXPECT_EQ(
      findings_aside(report),
      "1 finding inside kernels of autotuners and other tools is hidden; coalescope report FILE --all shows "
      "it.");
  EXPECT_EQ(report.notices.size(), 1U);
}

TEST(View, APartIsSaidWithoutWhatStandsAside) {
  Report report = with_findings_aside();
  ViewOptions options;
  options.rules = {"G01", "G02"};
  ASSERT_TRUE(apply_view(report, options));
  EXPECT_EQ(report.notices[0].text, "Only a part is shown: 2 of 3 findings (--rule G01,G02).");
}

TEST(View, KeysHaveNames) {
  for (const auto& name : sort_key_names()) EXPECT_TRUE(sort_key(name)) << name;
  EXPECT_EQ(sort_key("degree"), SortKey::degree);
  EXPECT_FALSE(sort_key("colour"));
}

TEST(View, TheOrderIsSaidInWords) {
  Report report;
  EXPECT_EQ(order_words(report, "by time lost"), "by time lost");
  report.sorted_by = SortKey::launches;
  EXPECT_EQ(order_words(report, "by time lost"), "by launches");
}

}  // namespace
}  // namespace coalescope::analysis
