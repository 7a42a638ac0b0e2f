#include "reports/analysis/rows/recording_cost.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(RecordingCost, WhatWasAllowedFollowsFromTheOptions) {
  EXPECT_EQ(allowed_cost_ns("{}", 10 * kSecond), kSecond + kSecond / 2) << "the default";
  EXPECT_EQ(allowed_cost_ns("{}", 25 * kSecond), 3 * kSecond) << "for what has not been measured at all";
  EXPECT_EQ(allowed_cost_ns(R"({"COALESCOPE_BUDGET":"10%"})", 10 * kSecond), 2 * kSecond);
  EXPECT_EQ(allowed_cost_ns(R"({"COALESCOPE_BUDGET":"0%"})", 10 * kSecond), 0);
  EXPECT_EQ(allowed_cost_ns(R"({"COALESCOPE_BUDGET":"2s"})", 10 * kSecond), 2 * kSecond);
  EXPECT_EQ(allowed_cost_ns(R"({"COALESCOPE_BUDGET":"none"})", 10 * kSecond), std::nullopt);
  EXPECT_EQ(allowed_cost_ns(R"({"COALESCOPE_BUDGET":"a lot"})", 10 * kSecond), std::nullopt);
}

model::Process costly_process(std::int64_t ended_ns, std::optional<std::int64_t> cost_ns,
                              std::optional<std::int64_t> measuring_ns = std::nullopt) {
  model::Process row;
  row.ended_ns = ended_ns;
  row.recorder_cost_ns = cost_ns;
  row.measuring_cost_ns = measuring_ns;
  return row;
}

TEST(RecordingCost, IsThatOfTheProcessThatWasHeldUpMost) {
  Report report;
  EXPECT_EQ(recording_cost(report), std::nullopt);
  report.processes.push_back(costly_process(2 * kSecond, std::nullopt));
  EXPECT_EQ(recording_cost(report), std::nullopt) << "it was killed, or recorded by an older version";
  report.processes = {costly_process(4 * kSecond, kSecond, kSecond * 3 / 4)};
  EXPECT_EQ(
      recording_cost(report),
      "Recording took 1.00 s of 4.00 s after cuInit (25.0 %): measuring 750 ms (1.20 s allowed), tracing "
      "250 ms. Nothing was left out to save time.");
  report.processes.push_back(costly_process(2 * kSecond, kSecond, kSecond * 3 / 4));
  report.capture.options = R"({"COALESCOPE_BUDGET":"none"})";
  EXPECT_EQ(
      recording_cost(report),
      "Recording took 1.00 s of 2.00 s after cuInit in the process that it slowed most (50.0 %): measuring "
      "750 ms (no limit), tracing 250 ms.");
}

TEST(RecordingCost, OfAnOlderCaptureIsNotDivided) {
  Report report;
  report.processes = {costly_process(4 * kSecond, kSecond)};
  EXPECT_EQ(recording_cost(report),
            "Recording took 1.00 s of 4.00 s after cuInit (25.0 %). Nothing was left out to save time.");
}

// The budget grows from the beginning of the recording, not from cuInit.
TEST(RecordingCost, WhatIsAllowedCountsTheTimeBeforeCuInit) {
  Report report;
  report.processes = {costly_process(8 * kSecond, kSecond, kSecond)};
  report.processes.front().began_ns = 4 * kSecond;
  EXPECT_EQ(
      recording_cost(report),
      "Recording took 1.00 s of 4.00 s after cuInit (25.0 %): measuring 1.00 s (1.40 s allowed), tracing "
      "0 ns. Nothing was left out to save time.");
}

TEST(RecordingCost, SaysWhatWasLeftOut) {
  Report report;
  report.processes = {costly_process(4 * kSecond, 2 * kSecond, 0)};
  report.capture.options = R"({"COALESCOPE_BUDGET":"2s"})";
  report.kernels.resize(2);
  report.kernels[1].mangled_name = "_Z5otherPf";
  const auto lacks = [](model::Phase phase, model::CoverageReason reason) {
    return Unmeasured{phase, reason, ""};
  };
  using model::CoverageReason;
  using model::Phase;
  report.kernels[0].unmeasured = {lacks(Phase::lines, CoverageReason::budget_spent),
                                  lacks(Phase::hits, CoverageReason::budget_spent)};
  report.kernels[1].unmeasured = {lacks(Phase::lines, CoverageReason::budget_spent),
                                  lacks(Phase::hits, CoverageReason::too_few_launches)};
  EXPECT_EQ(recording_cost(report),
            "Recording took 2.00 s of 4.00 s after cuInit (50.0 %): measuring 0 ns (2.00 s allowed), tracing "
            "2.00 s. With more time it would also have measured: source lines of 2 kernels, L2 "
            "hits of 1 kernel.");
}

}  // namespace
}  // namespace coalescope::analysis
