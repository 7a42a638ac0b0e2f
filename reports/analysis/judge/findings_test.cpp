#include "reports/analysis/judge/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/judge/finding_cases_test.h"
#include "reports/analysis/judge/merge_calls.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;
using test::access;
using test::clean_copy;
using test::findings_of;
using test::kRequests;
using test::one_h100;
using test::report_of;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> subjects(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const auto& finding : findings) names.push_back(finding.rule + " " + finding.subject);
  return names;
}

TEST(Findings, CleanKernelsHaveNone) {
  const Report report = report_of(
      {clean_copy(), test::kernel(access(kRequests, 512, 16), access(kRequests, 32, 1), 40'000'000, 20'000)});
  EXPECT_THAT(findings_of(report, one_h100()), IsEmpty());
  EXPECT_THAT(findings_of(report, {}), IsEmpty()) << "nor on an unknown machine";
}

// 4 % of the time, and a fifth of the sectors: not worth a line.
TEST(Findings, AnOffsetOfOneWordIsTooSmall) {
  KernelRow row = test::kernel(access(524'288, 128, 5), access(524'288, 128, 5), 134'217'728, 64'100);
  row.l2_sectors = 4'300'000;
  EXPECT_THAT(findings_of(report_of({row}), one_h100()), IsEmpty());
  EXPECT_THAT(findings_of(report_of({row}), {}), IsEmpty()) << "nor without a price";
}

// Three copies one after the other, in all of the run's time or beside a kernel that takes most of it.
Report report_with_a_chain(std::int64_t other_ns) {
  KernelRow other = clean_copy(other_ns);
  other.name = "other";
  Report report = report_of({clean_copy(), clean_copy(), clean_copy(), other});
  report.kernels[1].median_gpu_ns = report.kernels[1].gpu_ns = 70'000;
  for (KernelRow& row : report.kernels) row.origin = Origin::library;
  report.program.operation_chains = {{0, 1, {1, 2, 3}, 1}};
  return report;
}

TEST(Findings, OperationsInARowAreOneFindingAboutAllOfTheirKernels) {
  const auto findings = findings_of(report_with_a_chain(10'000), one_h100());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "F01");
  EXPECT_EQ(findings[0].subject, "3 element-wise operations");
  EXPECT_EQ(findings[0].kernel_id, std::nullopt);
  EXPECT_THAT(findings[0].kernel_ids, ElementsAre(2, 1, 3)) << "the costliest first";
  EXPECT_EQ(findings[0].aside, std::nullopt) << "their author can fuse them, although a library wrote them";
}

TEST(Findings, WhatRebuildsAProgramHasToBeSevere) {
  const auto findings = findings_of(report_with_a_chain(4'000'000), one_h100());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_GT(findings[0].lost_share, kLeastShareOfRun);
  EXPECT_EQ(findings[0].aside, Aside::small);
}

TEST(Findings, MostTimeLostFirstAndUnknownCostLast) {
  KernelRow worst = test::strided_copy(32, 136'500), mild = test::strided_copy(4, 38'500);
  KernelRow unpriced = test::strided_copy(32, 900'000);
  worst.name = "worst";
  mild.name = "mild";
  unpriced.name = "unpriced";
  unpriced.dram_read_bytes = std::nullopt;
  const Report report =
      report_of({unpriced, mild, worst},
                {test::copy(Direction::host_to_device, MemoryKind::pageable, 1, 1 << 24, 2'000'000)});
  auto rows = report;
  rows.transfers[0].reference_bandwidth = 55e9;
  EXPECT_THAT(subjects(findings_of(rows, one_h100())),
              ElementsAre("T01 pageable host to device, 16 MiB", "G01 worst", "G01 mild", "G01 unpriced"));
}

// Whatever share of its own time it is: nine tenths of what nobody notices are nobody's trouble.
TEST(Findings, SevereIsWhatTakesATwentiethOfTheRun) {
  const auto level_beside = [](std::int64_t other_ns) {
    return findings_of(report_of({test::strided_copy(32, 136'500), clean_copy(other_ns)}), one_h100())
        .at(0)
        .level;
  };
  EXPECT_EQ(level_beside(1'000'000), Level::severe);
  EXPECT_EQ(level_beside(10'000'000), Level::warning);
}

TEST(Findings, WhatCannotSaveHalfAPerCentStandsAside) {
  const auto aside_beside = [](std::int64_t other_ns) {
    return findings_of(report_of({test::strided_copy(32, 136'500), clean_copy(other_ns)}), one_h100())
        .at(0)
        .aside;
  };
  EXPECT_EQ(aside_beside(10'000'000), std::nullopt);
  EXPECT_EQ(aside_beside(100'000'000), Aside::small);
  // Of unknown cost: all of its subject's time is too little.
  KernelRow unpriced = test::strided_copy(32, 136'500);
  unpriced.dram_read_bytes = std::nullopt;
  EXPECT_EQ(findings_of(report_of({unpriced, clean_copy(100'000'000)}), one_h100()).at(0).aside,
            Aside::small);
  EXPECT_EQ(findings_of(report_of({unpriced, clean_copy(10'000'000)}), one_h100()).at(0).aside, std::nullopt);
}

TEST(Findings, WaitsThatAreLittleOfTheRunStandAside) {
  Report report = report_of({clean_copy(10'000'000)});
  TimelineRow row;
  row.device_id = 1;
  row.busy_ns = 10'000'000;
  row.synchronous_copies = row.waits = 1000;
  row.wait_ns = 20'000'000;
  report.program.timelines = {row};
  report.totals.wall_ns = 1'000'000'000;
  EXPECT_EQ(findings_of(report, one_h100()).at(0).aside, std::nullopt);
  report.totals.wall_ns = 10'000'000'000;
  EXPECT_EQ(findings_of(report, one_h100()).at(0).aside, Aside::small);
}

// Predictions are off by some percent: less of the subject's own time may be nothing.
TEST(Findings, LessThanAPredictionIsOffStandsAside) {
  const Thresholds strict{.share_of_run = 0.01, .share_of_subject = 1.1};
  const auto report = report_of({test::strided_copy(32, 136'500)});
  EXPECT_EQ(judge(report, one_h100(), strict).findings.at(0).aside, Aside::small);
  EXPECT_EQ(judge(report, one_h100(), {}).findings.at(0).aside, std::nullopt);
}

// What it saves at least is less than a hundredth of the run.
TEST(Findings, LittleThatIsSureStandsAside) {
  const auto of_run = [](std::int64_t others_ns) {
    return findings_of(report_of({test::strided_copy(32, 400'000), clean_copy(others_ns)}), one_h100()).at(0);
  };
  const Finding alone = of_run(400'000);
  EXPECT_EQ(alone.aside, std::nullopt);
  const auto least = static_cast<double>(alone.least_lost_ns.value());
  EXPECT_GT(of_run(static_cast<std::int64_t>(110 * least)).lost_share, kLeastShareOfRun);
  EXPECT_EQ(of_run(static_cast<std::int64_t>(110 * least)).aside, Aside::small);
}

// It ran once or twice, untimed, beside kernels that were timed: nothing is known of what it could save.
TEST(Findings, AKernelWithoutATimeBesideTimedOnesIsANote) {
  KernelRow untimed = test::strided_copy(32, 136'500);
  untimed.gpu_ns = untimed.median_gpu_ns = std::nullopt;
  EXPECT_EQ(findings_of(report_of({untimed, clean_copy(10'000'000)}), one_h100()).at(0).level, Level::note);
  EXPECT_EQ(findings_of(report_of({untimed}), one_h100()).at(0).level, Level::warning) << "nothing was timed";
}

// L1 keeps its surplus, and may have time for it while warps do something else.
TEST(Findings, WhatMayCostNothingIsANote) {
  KernelRow rows = test::kernel(test::access(kRequests, 128, 32), test::access(kRequests, 128, 4), 16'777'216,
                                100'000'000);
  rows.l2_read_sectors = rows.l2_write_sectors = 4 * kRequests;
  const auto found = findings_of(report_of({rows}), one_h100());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].lost_ns, std::nullopt);
  EXPECT_EQ(found[0].level, Level::note);
}

// What runs beside the program's work is no part of the run.
TEST(Findings, SharesAreWithoutTools) {
  KernelRow delay = clean_copy(100'000'000);
  delay.origin = Origin::tool;
  Report report = report_of({test::strided_copy(32, 136'500), delay});
  report.totals.tool_ns = 100'000'000;
  EXPECT_EQ(findings_of(report, one_h100()).at(0).level, Level::severe);
}

// Below both limits: 1 % of the run and 5 % of the kernel.
TEST(Findings, SmallEffectsAreNotReported) {
  const KernelRow compute_bound = test::strided_copy(32, 20'000'000);
  EXPECT_THAT(findings_of(report_of({compute_bound, clean_copy(90'000'000)}), one_h100()), IsEmpty());
}

Finding lost(const char* rule, std::int64_t ns) {
  Finding finding;
  finding.rule = rule;
  finding.lost_ns = ns;
  finding.evidence = rule;
  return finding;
}

TEST(Findings, WaitsForPageableCopiesArePartOfThem) {
  std::vector<Finding> findings{lost("T01", 200), lost("T03", 50)};
  merge_consequences(findings);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].evidence, testing::HasSubstr("T03"));
  findings = {lost("T01", 20), lost("T03", 50)};
  merge_consequences(findings);
  EXPECT_EQ(findings.size(), 2U) << "other copies cause most of them";
  findings = {lost("T03", 50)};
  merge_consequences(findings);
  EXPECT_EQ(findings.size(), 1U);
}

TEST(Findings, PausesAndSlowCopiesOfOneLineAreOneFindingWithBothCosts) {
  const auto at_line = [](const char* rule, std::int64_t ns, std::int64_t line) {
    Finding finding = lost(rule, ns);
    finding.lost_share = static_cast<double>(ns) / 1000;
    finding.call_file = "train.py";
    finding.call_line = line;
    finding.advice = std::string("advice of ") + rule;
    return finding;
  };
  for (const std::int64_t pauses_ns : {50, 500}) {
    std::vector<Finding> findings{at_line("T01", 200, 7), at_line("T03", pauses_ns, 7)};
    merge_consequences(findings);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].rule, pauses_ns < 200 ? "T01" : "T03");
    EXPECT_EQ(findings[0].lost_ns, 200 + pauses_ns);
    EXPECT_DOUBLE_EQ(*findings[0].lost_share, static_cast<double>(200 + pauses_ns) / 1000);
    EXPECT_THAT(findings[0].advice, testing::HasSubstr("advice of T01"));
    EXPECT_THAT(findings[0].advice, testing::HasSubstr("advice of T03"));
  }
  std::vector<Finding> apart{at_line("T01", 200, 7), at_line("T03", 500, 9)};
  merge_consequences(apart);
  EXPECT_EQ(apart.size(), 2U);
}

TEST(Findings, RereadsByLanesFarApartArePartOfTheirKernelsFinding) {
  const auto of_kernel = [](const char* rule, std::int64_t ns, std::int64_t kernel) {
    Finding finding = lost(rule, ns);
    finding.title = rule == std::string_view("R04") ? "Data read from DRAM again and again" : "";
    finding.kernel_id = kernel;
    return finding;
  };
  std::vector<Finding> findings{of_kernel("G01", 200, 1), of_kernel("R04", 150, 1), of_kernel("R04", 150, 2)};
  merge_consequences(findings);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[0].evidence, testing::HasSubstr("R04"));
  EXPECT_EQ(findings[1].kernel_id, 2) << "another kernel's";
  findings = {of_kernel("R04", 150, 1), of_kernel("L01", 100, 1)};
  merge_consequences(findings);
  EXPECT_EQ(findings.size(), 2U) << "most of them have another cause";
}

TEST(Findings, NotesNeedASubjectThatTakesTime) {
  const KernelRow broadcast =
      test::kernel(access(kRequests, 4, 1), access(kRequests, 128, 4), 8'400'000, 10'900);
  const auto alone = findings_of(report_of({broadcast}), one_h100());
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].level, Level::note);
  EXPECT_EQ(alone[0].aside, Aside::note);
  EXPECT_EQ(alone[0].lost_ns, 0);
  EXPECT_THAT(findings_of(report_of({broadcast, clean_copy(100'000'000)}), one_h100()), IsEmpty());
}

// Loads and stores stand on different lines; the file decides too.
TEST(Findings, NameTheWorstLineOfTheOperationAtFault) {
  Report report = report_of({test::strided_copy(32, 136'500)});
  const auto line = [](std::int64_t kernel, const char* file, std::int64_t number, std::int64_t loads) {
    LineRow row;
    row.kernel_id = kernel;
    row.file = file;
    row.line = number;
    row.loads = loads;
    row.stores = 1 - loads;
    return row;
  };
  report.lines = {line(2, "other.cu", 7, 1), line(1, "a.cu", 7, 0), line(1, "b.cu", 7, 1)};
  const auto findings = findings_of(report, one_h100());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].file, "b.cu");
  EXPECT_THAT(findings[0].evidence, testing::HasSubstr("; stores (a.cu:7): "));
}

// atomicAdd is a function of a header: nobody would look there.
TEST(Findings, NameNoLineOfTheToolkit) {
  Report report = report_of({test::strided_copy(32, 136'500)});
  LineRow row;
  row.kernel_id = 1;
  row.file = "/usr/local/cuda/targets/x86_64-linux/include/device_atomic_functions.hpp";
  row.line = 112;
  row.loads = 1;
  report.lines = {row};
  EXPECT_EQ(findings_of(report, one_h100()).at(0).file, std::nullopt);
  report.lines.push_back(row);
  report.lines[0].surplus_sectors = 100;
  report.lines[1].file = "own.cu";
  report.lines[1].surplus_sectors = 0;
  EXPECT_EQ(findings_of(report, one_h100()).at(0).file, std::nullopt) << "an inlined function is to blame";
  report.lines[1].surplus_sectors = 200;
  EXPECT_EQ(findings_of(report, one_h100()).at(0).file, "own.cu");
}

TEST(Findings, ManagedMemoryThatOnePlaceAskedForIsOneFinding) {
  Report report = report_of({clean_copy(10'000'000)});
  AllocationRow row;
  row.device_id = 1;
  row.bytes = 2 << 20;
  row.migration.gpu_faults = 10;
  row.migration.bytes_to_device = row.migration.first_bytes_to_device = 2 << 20;
  row.migration.first_ns = 1'000'000;
  row.place = "here";
  report.program.migrations = {row, row, row};
  row.place = "there";
  report.program.migrations.push_back(row);
  const auto findings = findings_of(report, one_h100());
  EXPECT_THAT(subjects(findings), ElementsAre("U01 managed memory, 3 allocations, 6 MiB, from here",
                                              "U01 managed memory, 2 MiB, from there"));
  EXPECT_THAT(findings.at(0).subjects,
              ElementsAre(SubjectRef{SubjectKind::allocation, 0}, SubjectRef{SubjectKind::allocation, 1},
                          SubjectRef{SubjectKind::allocation, 2}));
  EXPECT_NEAR(static_cast<double>(*findings.at(0).lost_ns),
              3.0 * static_cast<double>(*findings.at(1).lost_ns), 3);
}

// Its kernel reads from DRAM again and again, which is the window's doing.
TEST(Findings, WhatAWindowExplainsIsSaidOnce) {
  KernelRow kernel = clean_copy(300'000);
  kernel.dram_read_bytes = 512 << 20;
  kernel.footprint_bytes = 64 << 20;
  Report report = report_of({kernel});
  DeviceRow device;
  device.properties.id = {1};
  device.properties.l2_bytes = 50 << 20;
  report.devices.push_back(device);
  Machines machines = one_h100();
  machines[1].residency_full =
      KnownCurve{{"GB/s", "bytes", true, {{1e7, 2000, {}}, {1e9, 2000, {}}}}, "test"};
  machines[1].residency_tuned =
      KnownCurve{{"GB/s", "bytes", true, {{1e7, 2500, {}}, {1e9, 2500, {}}}}, "test"};
  EXPECT_THAT(subjects(findings_of(report, machines)), ElementsAre("R04 kernel"));
  L2WindowRow window;
  window.device_id = 1;
  window.window.stream = 7;
  window.window.bytes = 60 << 20;
  window.window.hit_ratio = 1;
  window.set_aside_bytes = 30 << 20;
  window.launches = 1;
  window.users = {{1, 1.0}};
  report.program.l2_windows = {window};
  EXPECT_THAT(subjects(findings_of(report, machines)), ElementsAre("R01 L2 window of 60 MiB on stream 7"));
}

// Nobody would follow advice about the inside of a matrix product.
TEST(Findings, WhatIsNotJudgedInsideALibraryIsNotMissed) {
  KernelRow unmeasured = clean_copy();
  unmeasured.load = unmeasured.store = Access{};
  EXPECT_FALSE(judge(report_of({unmeasured}), one_h100()).not_judged.empty());
  unmeasured.full_name = "ampere_sgemm_128x64_nn";
  unmeasured.origin = Origin::library;
  unmeasured.owner = "cuBLAS";
  EXPECT_THAT(judge(report_of({unmeasured}), one_h100()).not_judged, IsEmpty());
}

TEST(Findings, SharesAreOfTheRun) {
  const auto findings =
      findings_of(report_of({test::strided_copy(32, 136'500), clean_copy(136'500)}), one_h100());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NEAR(*findings[0].lost_share, 0.46, 0.03);
  EXPECT_EQ(findings[0].subject_ns, 136'500);
}

}  // namespace
}  // namespace coalescope::analysis
