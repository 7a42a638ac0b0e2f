#pragma once
// A recording with a vendor that answers at once, and the part that it writes.

#include <atomic>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

#include "core/capture/reader.h"
#include "core/ring/served_test.h"
#include "injection/recorder/fake_probe_test.h"
#include "injection/recorder/recording.h"

namespace coalescope::recorder {

// A vendor that answers at once. A buffer's first byte says what it holds.
class FakeBackend final : public Backend {
 public:
  static constexpr std::uint8_t kKernel = 1, kGraphKernel = 2, kTransfer = 3, kDropped = 4, kBroken = 5,
                                kUntimedTransfer = 6, kLate = 16;
  static constexpr std::uint64_t kNode = 11;
  static constexpr std::uint32_t kGraphLaunch = 12;

  std::int64_t now_ns() override { return now_ += 1000; }
  std::int64_t stream_id(const LaunchInfo&) override { return 7; }
  PhaseProbe* probe(model::Phase phase) override { return phase == model::Phase::lines ? &lines : &range; }
  std::optional<std::vector<ParameterPlace>> parameters(const LaunchInfo&) override { return layout; }
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
  bool trace(Traced wanted) override {
    kernels_traced = wanted.kernels;
    copies_traced = wanted.copies;
    return true;
  }

  bool pause_trace() override {
    ++pauses;
    return true;
  }
  void resume_trace() override { --pauses; }

  FakeProbe range, lines;
  std::optional<std::vector<ParameterPlace>> layout;  // of each function
  std::atomic<int> pauses{0};
  bool no_device = false;
  std::atomic<bool> kernels_traced{true}, copies_traced{true};
  std::atomic<bool> trace_is_back{false};

 private:
  std::atomic<std::int64_t> now_{0};
};

class RecordingTest : public ::testing::Test {
 protected:
  RecordingTest() {
    folder_ = std::filesystem::temp_directory_path() / ("coalescope_recording_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
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
    std::filesystem::remove_all(folder_);
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
  void launch(const char* name = "kernel") {
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

  std::filesystem::path folder_;
  std::unique_ptr<ring::Served> served_;
  std::unique_ptr<ring::Channel> channel_;
  RecorderOptions options_;
  model::Process process_;
  FakeBackend backend_;
  Diagnostics diagnostics_;
  std::vector<std::unique_ptr<std::uint8_t>> buffers_;
  std::unique_ptr<Recording> recording_;
};

}  // namespace coalescope::recorder
