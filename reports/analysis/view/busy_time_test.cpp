// For how much of the time the GPU works, where a part of the run tells it.
#include "reports/analysis/view/busy_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMillisecond = 1'000'000;

// A second of set-up with a kernel of 10 ms, then 90 kernels of 10 ms, with nothing between them.
class BusyTimeTest : public testing::Test {
 protected:
  BusyTimeTest() {
    report_.runs = 1;
    report_.devices.emplace_back();
    report_.processes.resize(2);  // the other one launches nothing
    KernelRow& row = report_.kernels.emplace_back();
    row.launches = 91;
    row.gpu_ns = 910 * kMillisecond;
    report_.totals.kernel_ns = 910 * kMillisecond;
    report_.totals.wall_ns = 3'000 * kMillisecond;
    DeviceStretches& device = report_.time_line.devices.emplace_back();
    device.process_id = 1;
    device.kernels = {{0, 10 * kMillisecond, 10 * kMillisecond}};
    for (std::int64_t at = 1'000; at < 1'900; at += 10)
      device.kernels.push_back({at * kMillisecond, (at + 10) * kMillisecond, 10 * kMillisecond});
    report_.time_line.processes.emplace_back().process_id = 1;
  }
  [[nodiscard]] std::string text() const { return busy_time(report_).text; }
  std::vector<BusyStretch>& kernels() { return report_.time_line.devices.front().kernels; }

  Report report_;
};

TEST_F(BusyTimeTest, StartUpTellsNothingOfTheRest) {
  EXPECT_EQ(text(), "Kernels ran for 100 % of the time in the second half of the recording.");
  EXPECT_FALSE(busy_time(report_).mostly_idle);
}

TEST_F(BusyTimeTest, AStretchMayBeBusyInParts) {
  for (BusyStretch& each : kernels()) each.busy_ns /= 4;
  EXPECT_EQ(text(), "Kernels ran for only 25 % of the time in the second half of the recording.");
  EXPECT_TRUE(busy_time(report_).mostly_idle);
}

TEST_F(BusyTimeTest, CopiesThatTakeATenthAreNamed) {
  report_.time_line.devices.front().copies = {
      {1'500 * kMillisecond, 1'900 * kMillisecond, 90 * kMillisecond}};
  EXPECT_THAT(text(), HasSubstr("second half of the recording, copies and memory sets for 20 %."));
  report_.time_line.devices.front().copies[0].busy_ns = 20 * kMillisecond;
  EXPECT_THAT(text(), HasSubstr("second half of the recording."));
}

TEST_F(BusyTimeTest, MeasuringAndWhatIsNotListedIsNoPartOfIt) {
  std::erase_if(kernels(), [](const BusyStretch& each) {
    return each.began_ns >= 1'600 * kMillisecond && each.began_ns < 1'700 * kMillisecond;
  });
  EXPECT_THAT(text(), HasSubstr("for 80 %"));
  ProcessStretches& process = report_.time_line.processes.front();
  process.measuring = {{1'600 * kMillisecond, 1'650 * kMillisecond, 50 * kMillisecond}};
  process.unlisted = {{1'650 * kMillisecond, 1'700 * kMillisecond, 50 * kMillisecond}};
  EXPECT_THAT(text(), HasSubstr("for 100 %"));
}

TEST_F(BusyTimeTest, WithoutMostLaunchesNothingIsKnown) {
  report_.kernels[0].median_gpu_ns = 10 * kMillisecond;
  report_.kernels[0].timed_launches = 180;
  EXPECT_NE(text(), "");
  report_.kernels[0].timed_launches = 190;
  EXPECT_EQ(text(), "") << "most of its launches were taken out";
}

TEST_F(BusyTimeTest, OfTwoProcessesWithKernelsNothingIsSaid) {
  report_.time_line.devices.push_back(report_.time_line.devices.front());
  EXPECT_EQ(text(), "");
}

TEST_F(BusyTimeTest, WithoutATimeLineItIsThatOfTheRun) {
  kernels().clear();
  EXPECT_EQ(text(), "") << "which process ran them is not known";
  report_.processes.resize(1);
  EXPECT_EQ(text(), "The GPU was busy for 30 % of the run.");
}

}  // namespace
}  // namespace coalescope::analysis
