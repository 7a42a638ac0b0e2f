// What is judged of copies that two calls make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/figures/owners.h"
#include "reports/analysis/judge/findings.h"
#include "reports/analysis/rules/kernel_cases_test.h"

namespace coalescope::analysis {
namespace {

TransferRow& add_uploads(Report& report) {
  TransferRow& row = report.transfers.emplace_back();
  row.id = 1;
  row.direction = model::Direction::host_to_device;
  row.source_memory = model::MemoryKind::pageable;
  row.destination_memory = model::MemoryKind::device;
  row.smallest_bytes = row.largest_bytes = 4 << 20;
  row.transfers = 200;
  row.bytes = std::int64_t{200} * (4 << 20);
  row.gpu_ns = 200'000'000;
  return row;
}

// Two calls make equal copies of one class. What the first copies never changes.
TEST(Judge, CopiesThatNeedNotBeMadeAreNoPartOfOtherFindings) {
  Report report;
  TransferRow& row = add_uploads(report);
  row.reference_bandwidth = 8.0 * (4 << 20) * 1000;  // an eighth of the time
  for (const std::int64_t site : {10, 20}) {
    SiteUse& use = row.call_sites.emplace_back();
    use.call_site_id = site;
    use.calls = 100;
    use.bytes = std::int64_t{100} * (4 << 20);
    use.gpu_ns = use.estimated_ns = 100'000'000;
    use.compared = 10;
    use.repeated = site == 10 ? 10 : 1;
  }
  const Judgement judgement = judge(report, {}, {});
  ASSERT_EQ(judgement.findings.size(), 2U);
  EXPECT_EQ(judgement.findings[0].rule, "T07");
  EXPECT_EQ(judgement.findings[0].lost_ns, 99'000'000);
  EXPECT_EQ(judgement.findings[0].call_site_id, 10);
  EXPECT_EQ(judgement.findings[1].rule, "T01");
  EXPECT_EQ(judgement.findings[1].lost_ns, 87'500'000) << "of the other call's copies";
  EXPECT_EQ(judgement.findings[1].call_site_id, 20);

  report.transfers[0].call_sites[1].repeated = 10;
  EXPECT_EQ(judge(report, {}, {}).findings.size(), 2U) << "nothing is left to pin";
  for (const Finding& finding : judge(report, {}, {}).findings) EXPECT_EQ(finding.rule, "T07");
}

// The GPU idles meanwhile: 4 MiB take 0.7 ms.
TEST(Judge, CupyBringsUploadsToPinnedMemoryOfItsOwn) {
  Report report;
  TransferRow& row = add_uploads(report);
  row.source_memory = model::MemoryKind::pinned;
  row.idle_before_ns = 5'000'000;
  CallSiteRow& frame = report.call_sites.emplace_back();
  frame.id = 10;
  frame.kind = model::FrameKind::python;
  SiteUse& use = row.call_sites.emplace_back();
  use.call_site_id = 10;
  use.calls = row.transfers;
  use.bytes = row.bytes;
  use.gpu_ns = use.estimated_ns = row.gpu_ns.value();
  use.compared = use.repeated = 10;
  const auto lost = [&] { return judge(report, {}, {}).findings.at(0).lost_ns.value(); };
  const auto copies_alone = lost();
  report.call_sites[0].file = "/site-packages/cupy/_creation/from_data.py";
  EXPECT_NEAR(static_cast<double>(lost() - copies_alone), 0.723e6 * static_cast<double>(row.transfers - 1),
              1e6);
}

// Such as f(table.to("cuda"), other.to("cuda")).
TEST(Judge, CopiesOfOneLineAreCountedTogether) {
  Report report;
  TransferRow& row = add_uploads(report);
  for (const std::int64_t site : {10, 20}) {
    CallSiteRow& frame = report.call_sites.emplace_back();
    frame.id = site;
    frame.kind = model::FrameKind::python;
    frame.file = "step.py";
    frame.line = 7;
    frame.own = true;
    SiteUse& use = row.call_sites.emplace_back();
    use.call_site_id = site;
    use.calls = 100;
    use.bytes = std::int64_t{100} * (4 << 20);
    use.gpu_ns = use.estimated_ns = 100'000'000;
    use.compared = use.repeated = 10;
  }
  const Judgement judgement = judge(report, {}, {});
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_THAT(judgement.findings[0].evidence, testing::HasSubstr("200 copies from this call, 800 MiB"));
  EXPECT_THAT(judgement.findings[0].evidence, testing::HasSubstr("each of the 20 that were compared"));
  EXPECT_EQ(judgement.findings[0].lost_ns, 199'000'000);
}

// What the rounds of a loop hand on, XLA copies by itself.
TEST(Judge, SmallCopiesWithinTheDeviceAreXlasOwn) {
  for (const bool within : {true, false}) {
    Report report;
    report.kernels.emplace_back().owner = kXla;
    TransferRow& row = add_uploads(report);
    if (within) {
      row.direction = model::Direction::device_to_device;
      row.source_memory = model::MemoryKind::device;
    }
    row.smallest_bytes = row.largest_bytes = 4096;
    row.bytes = row.transfers * 4096;
    row.gpu_ns = row.transfers * 3'000;
    Machine machine = test::h100();
    machine.copy_ns = 2'000;
    const Judgement judgement = judge(report, {{0, machine}}, {});
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_EQ(judgement.findings[0].rule, "T02");
    EXPECT_EQ(judgement.findings[0].aside == Aside::library, within);
  }
}

}  // namespace
}  // namespace coalescope::analysis
