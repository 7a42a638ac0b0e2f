#include "reports/html/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::html {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HostMemory, SaysWhatKernelsMovedOverTheBusAndWhen) {
  analysis::Report report;
  for (const char* name : {"in_place", "on_device", "not_counted"}) {
    auto& row = report.kernels.emplace_back();
    row.name = name;
    row.launches = 4;
    row.first_launch_ns = 2'000'000;
    row.last_launch_ns = 7'000'000;
    row.l2_sectors = 32'768;
    row.sysmem_sectors = 0;
  }
  report.kernels[0].sysmem_sectors = 32'768;
  report.kernels[2].sysmem_sectors = std::nullopt;
  report.kernels[2].host_footprint_bytes = 4096;
  const std::string page = host_memory_tables(report).markup();
  EXPECT_THAT(page, HasSubstr("in_place"));
  EXPECT_THAT(page, HasSubstr("1 MiB")) << "per launch";
  EXPECT_THAT(page, HasSubstr("4 MiB")) << "in all launches";
  EXPECT_THAT(page, HasSubstr("2.00 ms"));
  EXPECT_THAT(page, HasSubstr("7.00 ms"));
  EXPECT_THAT(page, Not(HasSubstr("on_device")));
  EXPECT_THAT(page, HasSubstr("not measured")) << "a pointer leads there, and no sectors were counted";
}

TEST(HostMemory, SaysWhenManagedMemoryMoved) {
  analysis::Report report;
  auto& moved = report.program.migrations.emplace_back();
  moved.place = "main.cu's setup";
  moved.migration.bytes_to_device = 1 << 20;
  moved.migration.began_ns = 3'000'000;
  moved.migration.ended_ns = 5'000'000;
  const std::string page = host_memory_tables(report).markup();
  EXPECT_THAT(page, HasSubstr("3.00 ms"));
  EXPECT_THAT(page, HasSubstr("5.00 ms"));
  EXPECT_TRUE(host_memory_tables({}).empty());
}

}  // namespace
}  // namespace coalescope::html
