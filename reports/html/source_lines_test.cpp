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

}  // namespace
}  // namespace coalescope::html
