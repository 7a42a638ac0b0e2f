#include "reports/analysis/judge/host_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kRunNs = 2'000'000'000;

// Kernels all the time, of which one finding would save half; the host waits for a fifth of it.
class HostLimit : public testing::Test {
 protected:
  HostLimit() {
    report_.runs = 1;
    report_.devices.emplace_back();
    KernelRow& row = report_.kernels.emplace_back();
    row.launches = 100;
    row.gpu_ns = kRunNs;
    report_.totals.kernel_ns = kRunNs;
    report_.time_line.devices.emplace_back().kernels = {{0, kRunNs, kRunNs}};
    report_.program.host_wait_ns = kRunNs / 5;
    Finding& finding = findings_.emplace_back();
    finding.subjects = {{SubjectKind::kernel, 1}};
    finding.kernel_ids = {1};
    finding.lost_ns = kRunNs / 2;
    finding.lost_share = 0.5;
  }
  std::int64_t saved() {
    limit_to_host(findings_, report_);
    return findings_[0].lost_ns.value();
  }

  Report report_;
  std::vector<Finding> findings_;
};

TEST_F(HostLimit, NoMoreIsSavedThanTheHostWaits) {
  EXPECT_EQ(saved(), kRunNs / 5);
  EXPECT_NEAR(findings_[0].lost_share.value(), 0.2, 1e-9);
  EXPECT_THAT(findings_[0].basis,
              HasSubstr("would take 1.00 s less, but the host waits for the GPU for only 400 ms"));
}

TEST_F(HostLimit, LessThanItWaitsIsSavedWhole) {
  findings_[0].lost_ns = kRunNs / 10;
  EXPECT_EQ(saved(), kRunNs / 10);
}

// The host works for the other four fifths. Without a tenth of the launches it works for a tenth less.
TEST_F(HostLimit, LaunchesThatAreNoLongerMadeNeedNoHost) {
  findings_[0].fewer_launches = 10;
  EXPECT_EQ(saved(), kRunNs / 5 + kRunNs * 4 / 50);
  EXPECT_THAT(findings_[0].basis, HasSubstr("the host would wait and launch for only 560 ms less"));
}

TEST_F(HostLimit, WhereTheGpuPausesOtherRulesSpeak) {
  report_.time_line.devices[0].kernels = {{0, kRunNs, kRunNs / 2}};
  EXPECT_EQ(saved(), kRunNs / 2);
}

TEST_F(HostLimit, WhatIsNotSeenToWaitWaitsUnseen) {
  report_.program.host_wait_ns = kRunNs / 100;
  EXPECT_EQ(saved(), kRunNs / 2);
  report_.program.host_wait_ns = std::nullopt;
  EXPECT_EQ(saved(), kRunNs / 2) << "an older capture";
}

TEST_F(HostLimit, FindingsOfWaitsKeepTheirPrice) {
  findings_[0].subjects = {{SubjectKind::timeline, 1}};
  findings_[0].kernel_ids.clear();
  EXPECT_EQ(saved(), kRunNs / 2);
}

}  // namespace
}  // namespace coalescope::analysis
