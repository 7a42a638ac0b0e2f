#include "reports/html/kernel_details.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "reports/analysis/rows/kernel_families.h"

namespace coalescope::html {
namespace {

// One kernel, launched by so many ranks.
analysis::Report launched_by(std::int64_t ranks) {
  analysis::Report report;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    auto& process = report.processes.emplace_back();
    process.id = model::ProcessId{rank + 1};
    process.rank = rank;
    auto& row = report.kernels.emplace_back();
    row.id = rank + 1;
    row.process_id = rank + 1;
    row.name = row.mangled_name = "copy";
    row.grid = {64, 1, 1};
    row.gpu_ns = 1000;
    row.launches = 1;
  }
  report.kernel_families = analysis::kernel_families(report.kernels);
  return report;
}

std::vector<std::string> names_of_shapes(const analysis::Report& report) {
  const auto entries = kernel_entries(report);
  std::vector<std::string> names;
  for (const auto& part : KernelDetails(report).parts(entries.at(0)))
    if (part.heading.starts_with("Shapes"))
      for (const auto& row : part.rows) names.push_back(row.at(0));
  std::ranges::sort(names);
  return names;
}

TEST(KernelDetails, ShapesOfSeveralProcessesNameThem) {
  EXPECT_EQ(names_of_shapes(launched_by(1)), std::vector<std::string>{"64 blocks"});
  EXPECT_EQ(names_of_shapes(launched_by(2)),
            (std::vector<std::string>{"rank 0: 64 blocks", "rank 1: 64 blocks"}));
}

TEST(KernelDetails, AVariantSaysOfHowMany) {
  analysis::Report report = launched_by(1);
  auto row = report.kernels.front();
  report.kernels.front().variant = 1;
  row.id = 2;
  row.variant = 2;
  report.kernels.push_back(row);
  report.kernel_families = analysis::kernel_families(report.kernels);
  EXPECT_EQ(names_of_shapes(report),
            (std::vector<std::string>{"64 blocks, variant 1 of 2", "64 blocks, variant 2 of 2"}));
}

}  // namespace
}  // namespace coalescope::html
