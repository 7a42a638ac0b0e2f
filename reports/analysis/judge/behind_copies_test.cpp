#include "reports/analysis/judge/behind_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kCopyingNs = 1'000'000'000;

// Copies all the time, and kernels for a fifth of it, nine tenths of that beside copies.
class BehindCopies : public testing::Test {
 protected:
  BehindCopies() {
    report_.runs = 1;
    report_.devices.emplace_back();
    KernelRow& row = report_.kernels.emplace_back();
    row.launches = 100;
    row.gpu_ns = 2 * kCopyingNs / 5;
    DeviceStretches& device = report_.time_line.devices.emplace_back();
    device.copies = {{0, 2 * kCopyingNs, 2 * kCopyingNs}};
    for (std::int64_t at = 0; at < 20; ++at)
      device.kernels.push_back({at * kCopyingNs / 10, (at + 1) * kCopyingNs / 10, kCopyingNs / 50});
    device.at_once = device.kernels;
    for (BusyStretch& each : device.at_once) each.busy_ns = each.busy_ns * 9 / 10;
    Finding& finding = findings_.emplace_back();
    finding.subjects = {{SubjectKind::kernel, 1}};
    finding.kernel_ids = {1};
    finding.lost_ns = 1'000;
    finding.lost_share = 0.1;
  }
  void discount() { discount_behind_copies(findings_, report_); }

  Report report_;
  std::vector<Finding> findings_;
};

TEST_F(BehindCopies, KernelsSaveWhatNoCopyRunsBeside) {
  discount();
  EXPECT_EQ(findings_[0].lost_ns, 100);
  EXPECT_NEAR(findings_[0].lost_share.value(), 0.01, 1e-9);
  EXPECT_THAT(findings_[0].basis, HasSubstr("90.0 % of the kernels' time"));
}

TEST_F(BehindCopies, CopiesThatPauseLeaveKernelsTheirPrice) {
  report_.time_line.devices[0].copies[0].busy_ns = kCopyingNs;
  discount();
  EXPECT_EQ(findings_[0].lost_ns, 1'000);
}

TEST_F(BehindCopies, FindingsOfCopiesKeepTheirPrice) {
  findings_[0].subjects = {{SubjectKind::transfers, 1}};
  findings_[0].kernel_ids.clear();
  discount();
  EXPECT_EQ(findings_[0].lost_ns, 1'000);
}

}  // namespace
}  // namespace coalescope::analysis
