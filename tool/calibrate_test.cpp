// From a capture file to the verdicts in it, with a file that is written here.

#include "tool/calibrate.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/capture/reader.h"
#include "core/capture/writer.h"
#include "kernels/answers/comparison.h"
#include "tool/exit_status.h"

namespace coalescope::tool {
namespace {

using model::MetricId;

const kernels::Case& one_case() {
  static const kernels::Case one = [] {
    kernels::Case made;
    made.family = "A1";
    made.id = "sequential_copy";
    made.kernel = "coalescope::kernels::sequential_copy";
    made.useful_bytes = 8000;
    made.counts = {{MetricId::global_load_sectors, 500}};
    return made;
  }();
  return one;
}

class Calibrate : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = testing::TempDir() + "calibrate_" + test->name() + ".coal";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // A launch in a window of phase bytes, with `sectors`, and a native one of 80 ns.
  void write_capture(std::int64_t sectors) {
    auto writer = capture::Writer::create(path_).value();
    model::Process process;
    process.id = model::ProcessId{1};
    model::Device device;
    device.id = model::DeviceId{1};
    device.process_id = process.id;
    const model::KernelId kernel_id{1};
    const model::Kernel kernel{kernel_id, process.id, "_ZN10coalescope7kernels15sequential_copyEPjPKj",
                               {},        {},         {}};
    const model::KernelGroup group{
        model::GroupId{1}, process.id, device.id, kernel_id, 1, 1, 1, 256, 1, 1, 0};
    model::PhaseWindow window;
    window.id = model::WindowId{1};
    window.process_id = process.id;
    window.phase = model::Phase::bytes;
    window.launches = 1;
    model::Launch counted;
    counted.id = model::LaunchId{1};
    counted.group_id = group.id;
    counted.window_id = window.id;
    model::Launch native;
    native.id = model::LaunchId{2};
    native.group_id = group.id;
    native.start_ns = 0;
    native.gpu_ns = 80;
    const model::Metric& metric = model::metric(MetricId::global_load_sectors);
    const model::MetricUsed used{metric.id, std::string(metric.key), "a name", metric.phase, "sectors"};
    const model::Reading reading{counted.id, metric.id, sectors};
    const bool written = writer.insert(process) && writer.insert(device) && writer.insert(kernel) &&
                         writer.insert(group) && writer.insert(window) && writer.insert(counted) &&
                         writer.insert(native) && writer.insert(used) && writer.insert(reading) &&
                         writer.commit();
    ASSERT_TRUE(written);
  }

  int judge_it() {
    const kernels::Case* const pointer = &one_case();
    testing::internal::CaptureStdout();
    const int status = judge(path_, {&pointer, 1});
    printed_ = testing::internal::GetCapturedStdout();
    return status;
  }

  std::vector<model::Calibration> stored() {
    auto reader = capture::Reader::open(path_).value();
    return reader.rows<model::Calibration>().value();
  }

  std::string path_;
  std::string printed_;
};

TEST_F(Calibrate, RightCountsAreStoredAndPrinted) {
  write_capture(500);
  EXPECT_EQ(judge_it(), kDone);
  EXPECT_THAT(printed_, testing::HasSubstr("1 of 1 counts are exact"));
  const std::vector<model::Calibration> rows = stored();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].verdict, model::Verdict::pass);
  EXPECT_THAT(rows[0].measured, testing::Optional(500));
  EXPECT_EQ(rows[1].quantity, kernels::kBandwidthQuantity);
  EXPECT_THAT(rows[1].measured, testing::Optional(100));
}

TEST_F(Calibrate, AWrongCountIsStoredTooAndIsTheStatus) {
  write_capture(501);
  EXPECT_EQ(judge_it(), kDiffers);
  EXPECT_EQ(stored().at(0).verdict, model::Verdict::fail);
  EXPECT_THAT(printed_, testing::HasSubstr("FAIL"));
}

TEST_F(Calibrate, AFileThatIsNoCaptureIsLeftAlone) {
  std::ofstream(path_) << "something else";
  testing::internal::CaptureStderr();
  EXPECT_EQ(judge_it(), kUnreadable);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr(path_));
  EXPECT_EQ(printed_, "");
  EXPECT_EQ(std::filesystem::file_size(path_), 14U);
}

TEST_F(Calibrate, AnUnknownFamilyIsAUsageError) {
  CalibrateOptions options;
  options.output = path_;
  options.families = {"Z9"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(options), kUsage);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("no case"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace coalescope::tool
