#include "reports/analysis/judge/call_blame.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

CallSiteRow at_line(std::int64_t id, std::int64_t line) {
  CallSiteRow row;
  row.id = id;
  row.file = "model.py";
  row.line = line;
  row.own = true;
  return row;
}

KernelRow called_at(std::int64_t id, std::initializer_list<std::pair<std::int64_t, std::int64_t>> sites) {
  KernelRow row;
  row.id = id;
  for (const auto& [site, ns] : sites) {
    SiteUse use;
    use.call_site_id = site;
    use.role = model::SiteRole::launch;
    use.gpu_ns = ns;
    row.call_sites.push_back(use);
  }
  return row;
}

// Line 22 calls all three operations, one of them at a site of its own; another line calls two of them, and
// for far longer.
TEST(CallBlame, KernelsTogetherAreOfTheLineThatCallsMostOfThem) {
  Report report;
  report.call_sites = {at_line(1, 22), at_line(2, 22), at_line(3, 34)};
  report.kernels = {called_at(1, {{1, 10}}), called_at(2, {{2, 10}, {3, 900}}),
                    called_at(3, {{2, 10}, {3, 900}})};
  Finding together;
  together.rule = "F01";
  together.kernel_ids = {1, 2, 3};
  for (const std::int64_t id : together.kernel_ids) together.subjects.push_back({SubjectKind::kernel, id});
  std::vector<Finding> findings{together};
  name_calls(findings, report);
  EXPECT_EQ(findings[0].call_file, "model.py");
  EXPECT_EQ(findings[0].call_line, 22);
  EXPECT_EQ(findings[0].call_site_id, 2) << "the costliest call on that line";

  Finding alone;
  alone.rule = "G01";
  alone.kernel_id = 2;
  alone.kernel_ids = {2};
  alone.subjects = {{SubjectKind::kernel, 2}};
  findings = {alone};
  name_calls(findings, report);
  EXPECT_EQ(findings[0].call_line, 34) << "of one kernel the line that takes most of its time";
}

// All launches are made by step(), most of them at line 22; main() calls it at line 7.
TEST(CallBlame, PausesBeforeLaunchesAreOfTheFunctionThatMakesAll) {
  Report report;
  report.call_sites = {at_line(1, 7), at_line(2, 22), at_line(3, 34)};
  report.call_sites[0].function = "main";
  report.call_sites[1].function = report.call_sites[2].function = "step";
  report.call_sites[1].caller_id = report.call_sites[2].caller_id = 1;
  report.kernels = {called_at(1, {{2, 10}}), called_at(2, {{3, 900}})};
  report.kernels[0].call_sites[0].calls = 500;
  report.kernels[1].call_sites[0].calls = 400;
  report.program.timelines.resize(1);
  Finding launches;
  launches.rule = "T09";
  launches.subjects = {{SubjectKind::timeline, 0}};
  std::vector<Finding> findings{launches};
  name_calls(findings, report);
  EXPECT_EQ(findings[0].call_line, 22);
  report.call_sites[2].function = "other";
  report.call_sites[1].function = "another";
  findings = {launches};
  name_calls(findings, report);
  EXPECT_EQ(findings[0].call_line, 7) << "below main() both are called";
}

// One line copies often and waits for a number each time, another copies for long.
TEST(CallBlame, PausesAreOfTheLineThatWaitsAndTurnsOfTheOneThatCopiesLongest) {
  Report report;
  report.call_sites = {at_line(1, 5), at_line(2, 9)};
  report.program.timelines.resize(1);
  for (const bool waits : {true, false}) {
    TransferRow row;
    row.direction = waits ? model::Direction::device_to_host : model::Direction::host_to_device;
    row.source_memory = waits ? model::MemoryKind::device : model::MemoryKind::pinned;
    row.destination_memory = waits ? model::MemoryKind::pinned : model::MemoryKind::device;
    row.waited_for = waits;
    SiteUse use;
    use.call_site_id = waits ? 1 : 2;
    use.calls = 100;
    use.gpu_ns = waits ? 100 : 900;
    row.call_sites.push_back(use);
    report.transfers.push_back(row);
  }
  std::vector<Finding> findings(2);
  for (Finding& finding : findings) finding.subjects = {{SubjectKind::timeline, 0}};
  findings[0].rule = "T03";
  findings[1].rule = "T04";
  name_calls(findings, report);
  EXPECT_EQ(findings[0].call_line, 5);
  EXPECT_EQ(findings[1].call_line, 9);
}

}  // namespace
}  // namespace coalescope::analysis
