#include "reports/analysis/view/notices.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "reports/analysis/notice_kinds.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::Phase;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

auto says(const char* text) {
  return ::testing::Field(&model::Diagnostic::text, HasSubstr(text));
}

Report with_a_kernel_that_lacks(CoverageReason reason) {
  Report report;
  report.capture.clean = true;
  report.totals.shapes = 1;
  KernelRow row;
  row.unmeasured = {Unmeasured{Phase::lines, reason, ""}};
  report.kernels = {row};
  return report;
}

TEST(Notices, LongLaunchesThatMayNotHaveBeenMeasuredAreTold) {
  Report report;
  report.capture.clean = true;
  report.totals.kernel_ns = 1'000;
  KernelRow row;
  row.name = "live_day";
  row.gpu_ns = 900;
  row.long_launches = LongLaunches{20, 100, 0.8};
  report.kernels = {row};
  EXPECT_THAT(notices_of(report), Contains(says("have 80.0 % of the time of live_day")));
  report.kernels[0].long_launches->share = 0.2;
  EXPECT_THAT(notices_of(report), Not(Contains(says("live_day"))));
  report.kernels[0].long_launches->share = 0.8;
  report.totals.kernel_ns = 100'000;
  EXPECT_THAT(notices_of(report), Not(Contains(says("live_day")))) << "of hardly any time";
}

TEST(Notices, WhatSeveralProcessesSayIsSaidOnce) {
  Report report;
  report.capture.clean = true;
  for (std::int64_t process = 1; process <= 3; ++process) {
    auto& lost = report.diagnostics.emplace_back();
    lost.process_id = model::ProcessId{process};
    lost.severity = model::Severity::data_loss;
    lost.text = "records were lost";
  }
  const auto notices = notices_of(report);
  EXPECT_EQ(std::ranges::count_if(
                notices, [](const auto& each) { return each.text.find("lost") != std::string::npos; }),
            1);
  EXPECT_THAT(notices, Contains(says("records were lost (in 3 processes)")));
  report.diagnostics[1].count = 5;
  EXPECT_THAT(notices_of(report), Contains(says("records were lost (7 times, in 3 processes)")));
  report.diagnostics[2].text = "ranges were lost";
  EXPECT_THAT(notices_of(report), Contains(says("ranges were lost"))) << "another text";
  report.diagnostics.resize(1);
  report.diagnostics[0].count = 1500;
  EXPECT_THAT(notices_of(report), Contains(says("records were lost (1,500 times)")));
}

std::vector<std::string> codes_of(const std::vector<model::Diagnostic>& notices) {
  std::vector<std::string> codes;
  for (const auto& notice : notices) codes.push_back(notice.code);
  return codes;
}

TEST(Notices, OnlyARecordingThatWasCutOffSaysSo) {
  Report report;
  report.kernels.resize(1);
  report.capture.clean = false;
  EXPECT_THAT(codes_of(notices_of(report)), Contains("cut_off")) << "its end was not seen";
  report.capture.exit_status = 0;
  report.processes.resize(2);
  for (auto& process : report.processes) {
    process.ended_ns = 1;
    process.clean = true;
  }
  const testing::Matcher<std::string> any_end = testing::AnyOf("cut_off", "killed", "end_not_written");
  EXPECT_THAT(codes_of(notices_of(report)), Not(Contains(any_end)))
      << "it ended by itself and wrote everything: what is missing has a diagnostic";
  report.processes[1].clean = false;
  EXPECT_THAT(notices_of(report), Contains(says("1 of 2 processes ended before all")));
  report.processes[1].ended_ns.reset();
  EXPECT_THAT(codes_of(notices_of(report)), Not(Contains(any_end))) << "a diagnostic names such a process";
  report.capture.exit_status.reset();
  report.capture.exit_signal = 9;
  EXPECT_THAT(codes_of(notices_of(report)), Contains("killed"));
}

TEST(Notices, EachKindHasACodeOfItsOwn) {
  std::set<std::string_view> codes;
  for (const auto& kind : kNoticeKinds) EXPECT_TRUE(codes.insert(kind.code).second) << kind.code;
}

TEST(Notices, WhatWasNotMeasuredIsSaid) {
  EXPECT_THAT(notices_of(with_a_kernel_that_lacks(CoverageReason::budget_spent)),
              Contains(says("Source lines were not measured for 1 of 1 kernel shapes")));
}

TEST(Notices, NobodyMissesTheCountsOfAnAutotunersKernels) {
  Report report = with_a_kernel_that_lacks(CoverageReason::timed_by_program);
  report.kernels[0].origin = Origin::tool;
  EXPECT_THAT(notices_of(report), Not(Contains(says("not measured"))));
}

// Nothing else shows what TMA moves.
TEST(Notices, KernelsThatUseTmaAreCounted) {
  Report report = with_a_kernel_that_lacks(CoverageReason::budget_spent);
  report.kernel_families.resize(3);
  EXPECT_THAT(notices_of(report), Not(Contains(says("TMA"))));
  report.kernel_families[1].uses_tma = true;
  EXPECT_THAT(notices_of(report), Contains(says("1 of 3 kernels use TMA")));
}

TEST(Notices, TrafficOfOtherProgramsIsSaid) {
  Report report = with_a_kernel_that_lacks(CoverageReason::budget_spent);
  KernelRow& row = report.kernels[0];
  row.store.sectors = 1'000'000;
  row.atomic_sectors = 100'000;
  row.local_store_sectors = 0;
  row.l2_write_sectors = 2'000'000;
  EXPECT_THAT(notices_of(report), Not(Contains(says("another program"))));
  row.l2_write_sectors = 27'500'000;
  EXPECT_THAT(notices_of(report),
              Contains(says("L2 counted up to 25.0 times what the instructions of 1 of 1 kernels store")));
  row.tma_instructions = 1;
  EXPECT_THAT(notices_of(report), Not(Contains(says("another program")))) << "TMA stores, too";
  row.tma_instructions = 0;
  row.store.sectors = 0;
  row.atomic_sectors = 0;
  row.l2_write_sectors = 15'000;
  EXPECT_THAT(notices_of(report), Not(Contains(says("another program")))) << "few sectors tell nothing";
}

TEST(Notices, KernelsOfToolsAreNamedOnce) {
  Report report = with_a_kernel_that_lacks(CoverageReason::budget_spent);
  report.kernels.resize(3);
  for (std::size_t i = 0; i < 2; ++i) {
    report.kernels[i].origin = Origin::tool;
    report.kernels[i].owner = "XLA autotuning";
    report.kernels[i].full_name = i == 0 ? "DelayKernel" : "redzone_checker";
    report.kernels[i].gpu_ns = 1'000'000;
  }
  EXPECT_THAT(notices_of(report),
              Contains(says("2 kernels of XLA autotuning (2.00 ms) are left out of rankings and shares")));
  report.kernels[1].gpu_ns.reset();
  EXPECT_THAT(notices_of(report), Contains(says("2 kernels of XLA autotuning (at least 1.00 ms) are left")));
  report.kernels[0].gpu_ns.reset();
  EXPECT_THAT(notices_of(report), Contains(says("2 kernels of XLA autotuning (not timed) are left")));
  report.kernels.erase(report.kernels.begin());
  EXPECT_THAT(notices_of(report), Contains(says("1 kernel of XLA autotuning (not timed) is left out")));
}

// As was meant, for functions with many shapes.
TEST(Notices, ASizeThatAnotherShapeStandsForIsNotMissing) {
  EXPECT_THAT(notices_of(with_a_kernel_that_lacks(CoverageReason::size_measured)),
              Not(Contains(says("not measured"))));
}

TEST(Notices, WhatTheSameKernelsLackIsOneSentence) {
  Report report = with_a_kernel_that_lacks(CoverageReason::failed);
  report.kernels[0].unmeasured = {Unmeasured{Phase::trace, CoverageReason::failed, ""}};
  EXPECT_THAT(notices_of(report),
              Contains(says("GPU time was not measured for 1 of 1 kernel shapes: the measurement failed.")));
  report.kernels[0].unmeasured.push_back(Unmeasured{Phase::hits, CoverageReason::failed, ""});
  EXPECT_THAT(
      notices_of(report),
      Contains(says(
          "GPU time and L2 hits were not measured for 1 of 1 kernel shapes (their time is not known):")));
}

TEST(Notices, LaunchesWithoutATimeAreCounted) {
  Report report;
  report.capture.clean = true;
  report.kernels.resize(1);
  report.diagnostics.push_back({.process_id = model::ProcessId{1},
                                .severity = model::Severity::data_loss,
                                .origin = "trace",
                                .code = "launches_untimed",
                                .count = 1800,
                                .text = "Launches have no GPU time."});
  EXPECT_THAT(
      notices_of(report),
      Contains(says("1,800 launches have no GPU time: they failed, were still running at the end, or ")));
  EXPECT_THAT(notices_of(report), Not(Contains(says("times)"))));
  report.diagnostics[0].count = 1;
  EXPECT_THAT(notices_of(report), Contains(says("1 launch has no GPU time: it failed, was still running")));
}

}  // namespace
}  // namespace coalescope::analysis
