#include "reports/html/source_lines.h"

#include <gtest/gtest.h>

namespace coalescope::html {
namespace {

analysis::KernelRow kernel(std::int64_t id, std::int64_t launches) {
  analysis::KernelRow row;
  row.id = id;
  row.name = "update";
  row.launches = launches;
  return row;
}

analysis::LineRow line(std::int64_t kernel_id, std::int64_t number, std::int64_t surplus) {
  analysis::LineRow row;
  row.kernel_id = kernel_id;
  row.kernel_name = "update";
  row.file = "/src/lu.cu";
  row.line = number;
  row.surplus_sectors = surplus;
  return row;
}

TEST(WorthyLines, ALineStandsOnceForAllShapesOfItsKernel) {
  analysis::Report report;
  report.kernels = {kernel(1, 10), kernel(2, 30)};
  report.lines = {line(1, 17, 200), line(2, 17, 100), line(1, 18, 500), line(2, 19, 0)};
  const auto lines = worthy_lines(report);
  ASSERT_EQ(lines.size(), 2U) << "a line without surplus is worth nothing";
  EXPECT_EQ(lines[0].line->line, 17);
  EXPECT_EQ(lines[0].shapes, 2U);
  EXPECT_EQ(lines[0].line->kernel_id, 2) << "100 in 30 launches are more than 200 in 10";
  EXPECT_DOUBLE_EQ(lines[0].share.value(), 0.5);
  EXPECT_EQ(lines[1].line->line, 18);
  EXPECT_EQ(lines[1].shapes, 1U);
  EXPECT_DOUBLE_EQ(lines[1].share.value(), 0.5);
}

TEST(WorthyLines, WithoutLineInformationPlacesAreOffsets) {
  analysis::Report report;
  report.kernels = {kernel(1, 1)};
  report.lines = {line(1, 0, 10), line(1, 0, 20)};
  for (auto& each : report.lines) each.file = std::nullopt, each.line = std::nullopt;
  report.lines[0].pc_offset = 0x40;
  report.lines[1].pc_offset = 0x50;
  EXPECT_EQ(worthy_lines(report).size(), 2U);
}

TEST(FiguresByPlace, WasteCountsOverAllLaunchesAndFindingsStandAtTheirLines) {
  analysis::Report report;
  report.kernels = {kernel(1, 10), kernel(2, 30)};
  report.lines = {line(1, 17, 2), line(2, 17, 1), line(1, 18, 0)};
  for (auto& each : report.lines) each.sectors = 4;
  report.call_lines.push_back({"train.py", 37, "step", {600, 400, 0}, std::nullopt});
  analysis::Finding& finding = report.findings.emplace_back();
  finding.call_file = "train.py";
  finding.call_line = 37;
  finding.lost_ns = 70;
  const auto places = figures_by_place(report);
  ASSERT_EQ(places.size(), 3U);
  const LineFigures& wasteful = places.at({"/src/lu.cu", 17});
  EXPECT_DOUBLE_EQ(wasteful.wasted_bytes.value(), (2 * 10 + 1 * 30) * 32);
  EXPECT_DOUBLE_EQ(wasteful.wasted_share, 1);
  EXPECT_EQ(places.at({"/src/lu.cu", 18}).wasted_bytes, 0);
  const LineFigures& call = places.at({"train.py", 37});
  EXPECT_EQ(call.gpu_ns, 1000);
  EXPECT_EQ(call.lost_ns(), 70);
  EXPECT_EQ(call.wasted_bytes, std::nullopt) << "no memory instruction was measured there";
}

TEST(FiguresByPlace, ALineThatCalledForLittleIsNotShown) {
  analysis::Report report;
  report.totals.kernel_ns = 1000;
  EXPECT_TRUE(is_worthy(report, LineFigures{.gpu_ns = 5}));
  EXPECT_FALSE(is_worthy(report, LineFigures{.gpu_ns = 4}));
}

}  // namespace
}  // namespace coalescope::html
