#include "reports/folded/folded.h"

#include <gtest/gtest.h>

namespace coalescope::folded {
namespace {

analysis::CallSiteRow frame(std::int64_t id, std::int64_t caller, std::string function, std::int64_t line) {
  analysis::CallSiteRow row;
  row.id = id;
  if (caller != 0) row.caller_id = caller;
  row.kind = model::FrameKind::python;
  row.function = std::move(function);
  row.file = "/home/me/train.py";
  row.line = line;
  return row;
}

analysis::Report report() {
  analysis::Report report;
  report.call_sites = {frame(1, 0, "<module>", 90), frame(2, 1, "step", 37)};
  analysis::KernelRow kernel;
  kernel.name = "add; evil\n5";
  kernel.gpu_ns = 1000;
  kernel.call_sites = {{2, model::SiteRole::launch, 3, {}, 600, 1000, {}},
                       {1, model::SiteRole::graph_node, 3, {}, 999, 999, {}}};
  analysis::KernelRow other;
  other.name = "other";
  other.gpu_ns = 400;
  report.kernels = {kernel, other};
  analysis::Finding finding;
  finding.rule = "G01";
  finding.title = "Uncoalesced loads";
  finding.subject = "add";
  finding.lost_ns = 500;
  finding.call_site_id = 2;
  report.findings = {finding};
  return report;
}

TEST(Folded, GpuTimeOfEachStackAndWhatHasNone) {
  EXPECT_EQ(to_folded(report(), Weight::gpu_time),
            "(unknown call site);other 400\n"
            "train.py:90;train.py:37 step();add, evil 5 1000\n");
}

TEST(Folded, TimeThatRepairsWouldSave) {
  EXPECT_EQ(to_folded(report(), Weight::lost_time),
            "train.py:90;train.py:37 step();G01 Uncoalesced loads: add 500\n");
}

TEST(Folded, OfAnEmptyReportIsEmpty) {
  EXPECT_EQ(to_folded({}, Weight::gpu_time), "");
}

}  // namespace
}  // namespace coalescope::folded
