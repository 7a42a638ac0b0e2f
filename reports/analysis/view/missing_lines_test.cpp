#include "reports/analysis/view/missing_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/view/notices.h"

namespace coalescope::analysis {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

auto states(const char* text) {
  return ::testing::Field(&model::Diagnostic::text, HasSubstr(text));
}

void add_kernel(Report& report, const std::string& name, bool has_lines) {
  KernelRow row;
  row.id = std::ssize(report.kernels) + 1;
  row.full_name = name + "(float*)";
  report.kernels.push_back(row);
  LineRow line;
  line.kernel_id = row.id;
  if (has_lines) line.file = "sweep.cu";
  report.lines.push_back(line);
  Finding finding;
  finding.kernel_ids = {row.id};
  report.findings.push_back(finding);
}

void add_call(Report& report, std::optional<std::string> file) {
  CallSiteRow site;
  site.id = std::ssize(report.call_sites) + 1;
  site.own = true;
  site.module = "/home/me/libmine.so";
  site.file = std::move(file);
  site.exclusive.kernel_ns = 5;
  report.call_sites.push_back(site);
  Finding finding;
  finding.call_site_id = site.id;
  report.findings.push_back(finding);
}

Report complete() {
  Report report;
  report.capture.clean = true;
  return report;
}

TEST(MissingLines, ModulesAreNamedOnceEach) {
  Report report = complete();
  add_call(report, std::nullopt);
  add_call(report, std::nullopt);
  EXPECT_EQ(own_modules_without_lines(report), std::vector<std::string>{"libmine.so"});
}

TEST(MissingLines, FindingsWithoutALineSayWhatToCompileWith) {
  Report report = complete();
  for (const char* name : {"apply", "sweep", "tail"}) add_kernel(report, name, false);
  add_call(report, std::nullopt);
  EXPECT_THAT(notices_of(report),
              Contains(states("Findings about apply, sweep and 1 more name no source line")));
  EXPECT_THAT(notices_of(report), Contains(states("Calls in libmine.so have no source line")));
}

TEST(MissingLines, NothingIsSaidOfCodeThatHasLines) {
  Report report = complete();
  add_kernel(report, "sweep", true);
  add_call(report, "main.cpp");
  EXPECT_THAT(notices_of(report), Not(Contains(states("no source line"))));
}

TEST(MissingLines, NobodyCanCompileALibraryAnew) {
  Report report = complete();
  add_kernel(report, "sgemm", false);
  report.kernels[0].origin = Origin::library;
  EXPECT_THAT(findings_without_lines(report).kernels, IsEmpty());
}

}  // namespace
}  // namespace coalescope::analysis
