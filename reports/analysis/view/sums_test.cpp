#include "reports/analysis/view/sums.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

CallSiteRow frame(std::int64_t id, std::int64_t caller, std::string file, std::string function, bool own,
                  std::int64_t kernel_ns) {
  CallSiteRow row;
  row.id = id;
  if (caller != 0) row.caller_id = caller;
  row.kind = model::FrameKind::python;
  row.file = std::move(file);
  row.line = id;
  row.function = std::move(function);
  row.own = own;
  row.exclusive.kernel_ns = kernel_ns;
  return row;
}

// main -> step -> (library) -> step -> ...: recursion through a library.
Report report() {
  Report report;
  report.call_sites = {
      frame(1, 0, "/me/train.py", "main", true, 5), frame(2, 1, "/me/model.py", "step", true, 10),
      frame(3, 2, "/lib/nn.py", "call", false, 20), frame(4, 3, "/me/model.py", "step", true, 40)};
  report.call_sites[3].line = 2;  // the same line again
  report.call_sites[2].exclusive.wait_ns = 7;
  Finding finding;
  finding.call_site_id = 4;
  finding.lost_ns = 30;
  finding.kernel_id = 9;
  report.findings = {finding};
  KernelFamily family;
  family.name = "add";
  family.full_name = "void add()";
  family.gpu_ns = 75;
  family.kernel_ids = {9};
  report.kernel_families = {family};
  return report;
}

TEST(Sums, ByCallSiteCountEachFrameOnce) {
  const auto rows = sums(report(), SumBy::call_site);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "train.py:1 main()");
  EXPECT_EQ(rows[0].inclusive_ns, 75);
  EXPECT_EQ(rows[0].exclusive_ns, 5);
  EXPECT_EQ(rows[1].name, "model.py:2 step()");
  EXPECT_EQ(rows[1].inclusive_ns, 70);
  EXPECT_EQ(rows[1].exclusive_ns, 70) << "what the library did for it is its own";
  EXPECT_EQ(rows[1].wait_ns, 7);
  EXPECT_EQ(rows[0].lost_ns, 30);
}

TEST(Sums, ByModuleHoldLibrariesToo) {
  const auto rows = sums(report(), SumBy::module);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2].name, "nn.py");
  EXPECT_EQ(rows[2].exclusive_ns, 20);
  EXPECT_EQ(rows[2].inclusive_ns, 60);
}

// Net calls Net.layer, which calls itself; the optimiser belongs to no module.
TEST(Sums, ByModuleOfPyTorchWhereTheCaptureHasThem) {
  auto all = report();
  const auto module = [](std::int64_t id, std::int64_t caller, std::string name) {
    CallSiteRow row = frame(id, caller, "", std::move(name), false, 0);
    row.kind = model::FrameKind::torch_module;
    row.file = std::nullopt;
    return row;
  };
  all.call_sites = {frame(1, 0, "/me/train.py", "main", true, 5),     module(2, 1, "Net"),
                    frame(3, 2, "/me/model.py", "forward", true, 10), module(4, 3, "Net.layer"),
                    frame(5, 4, "/me/model.py", "layer", true, 20),   module(6, 5, "Net.layer"),
                    frame(7, 6, "/me/model.py", "layer", true, 40)};
  ASSERT_TRUE(has_torch_modules(all));
  const auto rows = sums(all, SumBy::module);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "Net");
  EXPECT_EQ(rows[0].inclusive_ns, 70);
  EXPECT_EQ(rows[0].exclusive_ns, 10);
  EXPECT_EQ(rows[1].name, "Net.layer");
  EXPECT_EQ(rows[1].inclusive_ns, 60);
  EXPECT_EQ(rows[1].exclusive_ns, 60);
  EXPECT_EQ(rows[2].name, "(outside of modules)");
  EXPECT_EQ(rows[2].exclusive_ns, 5);
  EXPECT_EQ(sums(all, SumBy::call_site).size(), 4U) << "they are no lines of the program";
}

TEST(Sums, ByKernelAndRange) {
  auto all = report();
  const auto kernels = sums(all, SumBy::kernel);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].name, "add");
  EXPECT_EQ(kernels[0].exclusive_ns, std::nullopt);
  EXPECT_EQ(kernels[0].lost_ns, 30);
  all.program.ranges = {{.domain = "nn", .name = "forward", .gpu_ns = 12}};
  EXPECT_EQ(sums(all, SumBy::range).at(0).name, "forward@nn");
}

TEST(Sums, OfNothingAreEmpty) {
  for (const auto& name : sum_names()) EXPECT_TRUE(sums({}, *sum_by(name)).empty()) << name;
  EXPECT_EQ(sum_by("colour"), std::nullopt);
}

}  // namespace
}  // namespace coalescope::analysis
