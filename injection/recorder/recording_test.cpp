#include "injection/recorder/recording.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "core/capture/reader.h"
#include "core/ring/served_test.h"
#include "injection/recorder/failure_part.h"
#include "injection/recorder/fake_probe_test.h"

namespace coalescope::recorder {
namespace {

namespace fs = std::filesystem;
using model::Phase;

// A vendor that answers at once. A buffer's first byte says what it holds.
class FakeBackend final : public Backend {
 public:
  static constexpr std::uint8_t kKernel = 1, kGraphKernel = 2, kTransfer = 3, kDropped = 4, kBroken = 5,
                                kUntimedTransfer = 6, kLate = 16;
  static constexpr std::uint64_t kNode = 11;
  static constexpr std::uint32_t kGraphLaunch = 12;

  std::int64_t now_ns() override { return now_ += 1000; }
  std::int64_t stream_id(const LaunchInfo&) override { return 7; }
  PhaseProbe* probe(Phase phase) override { return phase == Phase::lines ? &lines : &range; }
  base::Result<model::Device> describe_device(std::int32_t ordinal) override {
    if (no_device) return base::failure(base::ErrorCode::failed, "gone");
    model::Device device;
    device.ordinal = ordinal;
    device.name = "Test GPU";
    return device;
  }
  void decode(const ActivityBuffer& buffer, TraceSink& sink) override {
    KernelRun run;
    run.kernel_name = "kernel";
    run.start_ns = 5000;
    run.gpu_ns = 1234;
    run.registers_per_thread = 32;
    model::Transfer transfer;
    transfer.device_id = model::DeviceId{1};
    transfer.bytes = 4096;
    const std::uint8_t what = buffer.data[0] % kLate;
    if (what != buffer.data[0]) run.start_ns = transfer.start_ns = std::int64_t{1} << 40;
    if (what == kGraphKernel) {
      run.graph_id = 3;
      run.graph_node = kNode;
      run.correlation = kGraphLaunch;
    }
    run.counted = what != kGraphKernel && buffer.launches_counted;
    if (what == kKernel || what == kGraphKernel) sink.kernel(run);
    transfer.gpu_ns = what == kTransfer ? 50 : 0;
    if (what == kTransfer || what == kUntimedTransfer) sink.transfer(transfer, 0);
    if (what == kBroken) throw std::runtime_error("a broken buffer");
    if (what == kDropped) sink.dropped(17);
  }
  void flush() override {}
  std::optional<std::int64_t> regain_trace() override {
    return trace_is_back.exchange(false) ? std::optional<std::int64_t>(1) : std::nullopt;
  }
  bool trace_kernels(bool wanted) override {
    kernels_traced = wanted;
    return true;
  }

  bool pause_trace() override {
    ++pauses;
    return true;
  }
  void resume_trace() override { --pauses; }

  FakeProbe range, lines;
  std::atomic<int> pauses{0};
  bool no_device = false;
  std::atomic<bool> kernels_traced{true};
  std::atomic<bool> trace_is_back{false};

 private:
  std::atomic<std::int64_t> now_{0};
};

class RecordingTest : public ::testing::Test {
 protected:
  RecordingTest() {
    folder_ = fs::temp_directory_path() / ("coalescope_recording_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    served_ = std::make_unique<ring::Served>(folder_.string());
    options_.scheduling.budget = std::nullopt;
    process_.id = model::ProcessId{1};
    process_.pid = 42;
    process_.began_ns = 99;
  }
  // The server may still write into the folder until it is gone.
  ~RecordingTest() override {
    recording_.reset();
    channel_.reset();
    served_.reset();
    fs::remove_all(folder_);
  }

  ring::RingWriter& ring() {
    if (!channel_) channel_ = served_->open("host-42-99");
    return channel_->ring();
  }
  Recording& recording() {
    if (!recording_) {
      auto created = Recording::create(options_, process_, ring(), backend_, diagnostics_);
      EXPECT_TRUE(created) << (created ? "" : created.error().text());
      recording_ = std::move(*created);
      recording_->start();
      recording_->device_seen(0);
    }
    return *recording_;
  }
  void launch(std::string_view name = "kernel") {
    LaunchInfo info;
    info.kernel_name = name;
    info.function = std::hash<std::string_view>{}(name);
    info.context = {1, 1, 0};
    recording().after_launch(recording().before_launch(info), true);
  }
  void deliver(std::uint8_t what, bool launches_counted = true) {
    buffers_.push_back(std::make_unique<std::uint8_t>(what));
    ASSERT_TRUE(recording().deliver({buffers_.back().get(), 1, launches_counted}));
  }
  // The recording has listed as much as it may.
  void make_long() {
    options_.scheduling.enabled.fill(false);
    options_.most_listed = 2;
    for (int i = 0; i < 2; ++i) {
      launch();
      deliver(FakeBackend::kKernel);
    }
    for (int i = 0; i < 1000 && backend_.kernels_traced; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_FALSE(backend_.kernels_traced);
  }
  capture::Reader finish() {
    recording().finish();
    served_->finish();
    return std::move(capture::Reader::open((folder_ / "host-42-99.part.coal").string()).value());
  }

  fs::path folder_;
  std::unique_ptr<ring::Served> served_;
  std::unique_ptr<ring::Channel> channel_;
  RecorderOptions options_;
  model::Process process_;
  FakeBackend backend_;
  Diagnostics diagnostics_;
  std::vector<std::unique_ptr<std::uint8_t>> buffers_;
  std::unique_ptr<Recording> recording_;
};

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

TEST_F(RecordingTest, AKernelSeenOnlyInAGraphIsCountedAndHasItsReason) {
  deliver(FakeBackend::kGraphKernel);
  deliver(FakeBackend::kGraphKernel);
  auto reader = finish();
  EXPECT_EQ(reader.rows<model::Launch>().value().size(), 2U);
  const auto coverage = reader.rows<model::Coverage>().value();
  ASSERT_EQ(coverage.size(), 4U);
  for (const auto& row : coverage) {
    EXPECT_EQ(row.launches_seen, 2);
    EXPECT_EQ(row.launches_measured, 0);
    EXPECT_EQ(row.reason, model::CoverageReason::in_graph);
  }
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

TEST_F(RecordingTest, AGraphLaunchBringsKernelsTheirRecordsBack) {
  make_long();
  recording().after_launch(recording().before_graph_launch(0, nullptr), true);
  EXPECT_TRUE(backend_.kernels_traced);
  deliver(FakeBackend::kGraphKernel + FakeBackend::kLate);
  auto reader = finish();
  EXPECT_TRUE(backend_.kernels_traced);
  const auto totals = reader.rows<model::LaunchTotal>().value();
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].launches, 1);
  EXPECT_EQ(totals[0].timed_launches, 1);
}

TEST_F(RecordingTest, KernelsOfAKnownGraphNeedNoRecords) {
  make_long();
  LaunchInfo kernel;
  kernel.kernel_name = "kernel";
  GraphNeeds graph;
  const std::vector<std::uint64_t> ids{FakeBackend::kNode};
  recording().find_groups(graph, {kernel}, {ids});
  ASSERT_NE(graph.counts, nullptr);
  for (int i = 0; i < 3; ++i)
    recording().after_launch(recording().before_graph_launch(FakeBackend::kGraphLaunch, graph.counts.get()),
                             true);
  EXPECT_FALSE(backend_.kernels_traced);
  deliver(FakeBackend::kGraphKernel + FakeBackend::kLate);  // of one that was counted
  const auto totals = finish().rows<model::LaunchTotal>().value();
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].launches, 3);
  EXPECT_EQ(totals[0].timed_launches, 1);
}

// Records of kernels without an id find the first group of their name and shape.
TEST_F(RecordingTest, AGraphIsCountedIfRecordsFindTheSameGroups) {
  LaunchInfo kernel;
  kernel.kernel_name = "kernel";
  GraphNeeds graph;
  const std::vector<std::uint64_t> ids{FakeBackend::kNode, 0};
  recording().find_groups(graph, {kernel, kernel}, {ids});
  EXPECT_EQ(graph.groups.size(), 2U);
  ASSERT_NE(graph.counts, nullptr);
  ASSERT_EQ(graph.counts->size(), 1U);
  EXPECT_EQ(graph.counts->front().kernels, 2);
  (void)finish();
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
