#include "injection/recorder/recording.h"

#include <fstream>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <system_error>
#include <thread>

#include "injection/recorder/failure_part.h"
#include "injection/recorder/recording_fixture_test.h"

namespace coalescope::recorder {
namespace {

namespace fs = std::filesystem;
using model::Phase;

TEST_F(RecordingTest, AMeasuredLaunchBecomesRows) {
  launch();
  launch();
  auto reader = finish();
  const auto launches = reader.rows<model::Launch>().value();
  ASSERT_EQ(launches.size(), 2U);
  for (const auto& row : launches) {
    EXPECT_TRUE(row.window_id);
    EXPECT_FALSE(row.gpu_ns) << "a patched launch has no time worth keeping";
    EXPECT_EQ(row.stream, 7);
  }
  const auto readings = reader.rows<model::Reading>().value();
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].value, 128);
  EXPECT_EQ(reader.rows<model::Instruction>().value().size(), 1U);
  EXPECT_EQ(reader.rows<model::InstructionReading>().value()[0].value, 128);
  EXPECT_EQ(reader.rows<model::PhaseWindow>().value().size(), 2U);
}

TEST_F(RecordingTest, ATracedKernelHasItsTimeAndCompletesItsKernel) {
  options_.scheduling.samples = 1;
  for (int i = 0; i < 20; ++i) launch();
  deliver(FakeBackend::kKernel);
  auto reader = finish();
  const auto launches = reader.rows<model::Launch>().value();
  EXPECT_EQ(
      std::count_if(launches.begin(), launches.end(), [](const auto& row) { return row.gpu_ns == 1234; }), 1);
  const auto kernels = reader.rows<model::Kernel>().value();
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].registers_per_thread, 32);
}

TEST_F(RecordingTest, ARowThatDoesNotFitCostsOnlyItself) {
  backend_.lines.copies = 2;
  launch();
  launch();
  deliver(FakeBackend::kTransfer);
  auto reader = finish();
  EXPECT_EQ(reader.rows<model::InstructionReading>().value().size(), 1U);
  EXPECT_EQ(reader.rows<model::Launch>().value().size(), 2U);
  EXPECT_EQ(reader.rows<model::Transfer>().value().size(), 1U);
  EXPECT_TRUE(reader.rows<model::Process>().value().at(0).clean);
  EXPECT_EQ(reader.rows<model::Diagnostic>().value().at(0).code, "row_refused");
}

TEST_F(RecordingTest, ALaunchWithoutATimeSaysWhy) {
  options_.scheduling.enabled.fill(false);
  options_.scheduling.enabled[index_of(Phase::bytes)] = true;
  launch();
  LaunchInfo traced;
  traced.context = {1, 1, 0};
  traced.function = 9;
  traced.kernel_name = "lost";
  traced.cooperative = true;
  recording().after_launch(recording().before_launch(traced), true);
  auto reader = finish();
  std::vector<model::CoverageReason> reasons;
  const auto coverage = reader.rows<model::Coverage>().value();
  for (const auto& row : coverage)
    if (row.phase == Phase::trace) reasons.push_back(row.reason);
  EXPECT_EQ(reasons, (std::vector{model::CoverageReason::too_few_launches, model::CoverageReason::failed}));
  const auto diagnostics = reader.rows<model::Diagnostic>().value();
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics[0].code, "launches_untimed");
  EXPECT_EQ(diagnostics[0].count, 1);
}

// A full stream keeps one launch until there is room for many. In a thread of its own, as a thread's first
// launches are all timed.
TEST_F(RecordingTest, LaunchesThatWaitForRoomAreTimed) {
  options_.scheduling.enabled.fill(false);
  constexpr int kLaunches = 4000, kOneIn = 1000;
  constexpr std::chrono::milliseconds kWait(5);
  LaunchInfo launch_info;
  launch_info.context = {1, 1, 0};
  launch_info.function = 9;
  launch_info.kernel_name = "waits";
  std::thread([&] {
    for (int i = 1; i <= kLaunches; ++i) {
      const Ticket ticket = recording().before_launch(launch_info);
      if (i % kOneIn == 0) std::this_thread::sleep_for(kWait);
      recording().after_launch(ticket, true);
    }
  }).join();
  auto reader = finish();
  const auto processes = reader.rows<model::Process>().value();
  ASSERT_EQ(processes.size(), 1U);
  ASSERT_TRUE(processes[0].launch_wait_ns);
  EXPECT_GE(*processes[0].launch_wait_ns, kLaunches / kOneIn * 4'990'000LL);
}

TEST_F(RecordingTest, OfALongRunWhatIsNotListedIsAddedUp) {
  make_long();
  for (int i = 0; i < 5; ++i) launch();
  launch("another");
  for (int i = 0; i < 2; ++i) {
    deliver(FakeBackend::kKernel + FakeBackend::kLate);
    deliver(FakeBackend::kTransfer + FakeBackend::kLate);
  }
  deliver(FakeBackend::kUntimedTransfer + FakeBackend::kLate);
  auto reader = finish();
  EXPECT_EQ(reader.rows<model::Launch>().value().size(), 2U);
  EXPECT_TRUE(reader.rows<model::Transfer>().value().empty());
  const auto totals = reader.rows<model::LaunchTotal>().value();
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_EQ(totals[0].launches, 5);
  EXPECT_EQ(totals[0].timed_launches, 2);
  EXPECT_EQ(totals[0].gpu_ns, 2 * 1234);
  EXPECT_EQ(totals[0].shortest_gpu_ns, 1234);
  EXPECT_EQ(totals[1].launches, 1);
  EXPECT_FALSE(totals[1].shortest_gpu_ns);
  const auto transfers = reader.rows<model::TransferTotal>().value();
  ASSERT_EQ(transfers.size(), 2U);
  const auto& timed = transfers[transfers[0].timed ? 0 : 1];
  const auto& without_a_time = transfers[transfers[0].timed ? 1 : 0];
  EXPECT_EQ(timed.transfers, 2);
  EXPECT_EQ(timed.bytes, 2 * 4096);
  EXPECT_EQ(timed.gpu_ns, 2 * 50);
  EXPECT_EQ(without_a_time.transfers, 1);
  EXPECT_FALSE(without_a_time.timed);
  const auto gaps = reader.rows<model::TraceGap>().value();
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_FALSE(gaps[0].ended_ns);
  const auto diagnostics = reader.rows<model::Diagnostic>().value();
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics[0].code, "sampled");
  std::vector<model::CoverageReason> untimed;
  const auto coverage = reader.rows<model::Coverage>().value();
  for (const auto& row : coverage)
    if (row.phase == Phase::trace) untimed.push_back(row.reason);
  EXPECT_EQ(untimed, std::vector{model::CoverageReason::only_counted});
}

TEST_F(RecordingTest, OfALongRunCopiesHaveRecordsFromTheFirstThatCallsDoNotTell) {
  make_long();
  EXPECT_FALSE(backend_.copies_traced);
  recording().copy_called(1, CopyCall{.device = model::DeviceId{1}, .bytes = 8});
  EXPECT_FALSE(backend_.copies_traced);
  recording().copy_called(2, std::nullopt);
  EXPECT_TRUE(backend_.copies_traced);
  EXPECT_FALSE(backend_.kernels_traced);
  (void)finish();
}

// Its kernels are known from their records alone.
TEST_F(RecordingTest, OnceTheProgramsProfilerHasEndedRecordsCountLaunches) {
  launch();
  deliver(FakeBackend::kKernel);
  backend_.trace_is_back = true;
  for (int i = 0; i < 1000 && backend_.trace_is_back; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  deliver(FakeBackend::kKernel + FakeBackend::kLate, false);
  deliver(FakeBackend::kKernel + FakeBackend::kLate, false);
  auto reader = finish();
  EXPECT_EQ(reader.rows<model::TraceGap>().value().size(), 1U);
  EXPECT_EQ(reader.rows<model::LaunchTotal>().value().size(), 0U);
  const auto coverage = reader.rows<model::Coverage>().value();
  ASSERT_FALSE(coverage.empty());
  for (const auto& row : coverage) EXPECT_EQ(row.launches_seen, 3);
}

TEST_F(RecordingTest, WhatAnAutotunerTimesIsNotTraced) {
  constexpr std::uint64_t start = 1, end = 2, stream = 3;
  launch("DelayKernel");
  recording().event_recorded(start, stream);
  launch();
  EXPECT_EQ(backend_.pauses, 1);
  recording().event_recorded(end, stream);
  recording().time_read(start, end);
  EXPECT_EQ(backend_.pauses, 0);
  // The autotuner has given a candidate up, and reads no time.
  launch("DelayKernel");
  launch("DelayKernel");
  EXPECT_EQ(backend_.pauses, 1);
  launch("other");
  EXPECT_EQ(backend_.pauses, 0);
  const auto totals = finish().rows<model::LaunchTotal>();
  ASSERT_TRUE(totals);
  EXPECT_EQ(totals->size(), 2U) << "of the delay kernel and of the candidate";
}

TEST_F(RecordingTest, TransfersAndLossesAreKept) {
  deliver(FakeBackend::kTransfer);
  deliver(FakeBackend::kDropped);
  auto reader = finish();
  EXPECT_EQ(reader.rows<model::Transfer>().value()[0].bytes, 4096);
  const auto diagnostics = reader.rows<model::Diagnostic>().value();
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics[0].count, 17);
  EXPECT_EQ(diagnostics[0].severity, model::Severity::data_loss);
}

TEST_F(RecordingTest, TheDeviceIsDescribed) {
  auto reader = finish();
  EXPECT_EQ(reader.rows<model::Device>().value()[0].name, "Test GPU");
}

TEST_F(RecordingTest, TheMetricsOfAWindowAreNamedOnce) {
  for (int i = 0; i < 8; ++i) launch();
  auto reader = finish();
  const auto metrics = reader.rows<model::MetricUsed>().value();
  ASSERT_GE(metrics.size(), 1U);
  EXPECT_EQ(metrics[0].cupti_name, "a_name_of_the_chip.sum");
}

TEST_F(RecordingTest, ADeviceThatCannotBeDescribedIsADiagnostic) {
  backend_.no_device = true;
  auto reader = finish();
  EXPECT_TRUE(reader.rows<model::Device>().value().empty());
  EXPECT_EQ(reader.rows<model::Diagnostic>().value()[0].origin, "device");
}

TEST_F(RecordingTest, AnOrderlyEndIsWritten) {
  auto reader = finish();
  const auto process = reader.rows<model::Process>().value().at(0);
  EXPECT_TRUE(process.clean);
  EXPECT_TRUE(process.ended_ns);
  recording().finish();  // a second time does nothing
}

TEST_F(RecordingTest, ARecordingWithoutAnEndSaysSo) {
  launch();
  served_->finish();
  auto copy = std::move(capture::Reader::open((folder_ / "host-42-99.part.coal").string()).value());
  EXPECT_FALSE(copy.rows<model::Process>().value().at(0).ended_ns);
  recording().finish();
}

TEST_F(RecordingTest, AnExceptionOfTheWriterIsADiagnostic) {
  deliver(FakeBackend::kBroken);
  auto reader = finish();
  const auto diagnostics = reader.rows<model::Diagnostic>().value();
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics[0].origin + "/" + diagnostics[0].code, "writer/exception");
  EXPECT_NE(diagnostics[0].text.find("a broken buffer"), std::string::npos);
}

TEST_F(RecordingTest, AThreadThatIsRefusedLeavesTheSignalsAsTheyWere) {
  pthread_attr_t before;
  pthread_attr_t too_large;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(pthread_attr_init(&too_large), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&too_large, std::size_t{1} << 47), 0);
  ASSERT_EQ(pthread_setattr_default_np(&too_large), 0);
  EXPECT_THROW(recording(), std::system_error);
  ASSERT_EQ(pthread_setattr_default_np(&before), 0);
  sigset_t blocked;
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0);
}

TEST_F(RecordingTest, GroupsFollowTheFunctionWhenItsHandleIsReused) {
  options_.scheduling.samples = 1;
  LaunchInfo info;
  info.context = {1, 1, 0};
  info.function = 5;
  info.kernel_name = "first";
  recording().after_launch(recording().before_launch(info), true);
  recording().functions_changed();
  info.kernel_name = "second";
  recording().after_launch(recording().before_launch(info), true);
  auto reader = finish();
  EXPECT_EQ(reader.rows<model::Kernel>().value().size(), 2U);
}

TEST_F(RecordingTest, AFailedStartLeavesItsReason) {
  const base::Error error{base::ErrorCode::not_found, "libcupti.so.13 was not found", "install it"};
  ASSERT_TRUE(write_failure_part(ring(), options_, process_, "recorder", error));
  served_->finish();
  auto reader = std::move(capture::Reader::open((folder_ / "host-42-99.part.coal").string()).value());
  const auto diagnostics = reader.rows<model::Diagnostic>().value();
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics[0].text, "This process was not recorded: libcupti.so.13 was not found; install it");
}

}  // namespace
}  // namespace coalescope::recorder
