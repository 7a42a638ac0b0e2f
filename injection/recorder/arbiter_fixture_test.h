#pragma once
// An arbiter with fake probes, and launches played to it.

#include <gtest/gtest.h>
#include <memory>
#include <string_view>
#include <vector>

#include "injection/recorder/arbiter.h"
#include "injection/recorder/fake_probe_test.h"

namespace coalescope::recorder {

class ArbiterTest : public ::testing::Test, public ArbiterHost {
 protected:
  ArbiterTest()
      : groups_([](const auto&) {}, [](const auto&) {},
                [](std::string_view name) -> Verdict {
                  if (name == "persistent") return {model::CoverageReason::skip_listed, true};
                  return name.find("nccl") == std::string_view::npos ? model::CoverageReason::measured
                                                                     : model::CoverageReason::skip_listed;
                }) {
    options_.budget = std::nullopt;
  }

  Arbiter& arbiter() {
    if (!arbiter_) {
      arbiter_ = std::make_unique<Arbiter>(
          options_,
          std::array<PhaseProbe*, kPhaseCount>{nullptr, &range_, &lines_, &range_, &range_, &range_}, *this,
          diagnostics_);
    }
    return *arbiter_;
  }
  Group& group(std::string_view name) { return groups_.find_or_add(name, 0, {}); }
  LaunchInfo launch_of(const char* name) {
    LaunchInfo launch;
    launch.kernel_name = name;
    launch.context = context_;
    return launch;
  }
  Ticket launch(const char* name, bool cooperative = false) {
    auto info = launch_of(name);
    info.cooperative = cooperative;
    group(name).launches_seen++;
    const auto ticket = arbiter().before_launch(info, group(name));
    arbiter().after_launch(ticket);
    return ticket;
  }
  void only(model::Phase phase) {
    options_.enabled.fill(false);
    options_.enabled[index_of(phase)] = true;
  }
  std::int64_t now_ns() override { return now_ns_ += 1000; }
  std::int64_t stream_id(const LaunchInfo&) override { return 7; }
  std::int64_t all_gpu_ns() override { return groups_.gpu_ns(); }
  base::Result<void> wait_for_gpu(const ContextHandle&, std::chrono::nanoseconds patience) override {
    ++waits_;
    if (!gpu_goes_on_) {
      now_ns_ += queued_ns_;
      return {};
    }
    patience_ = patience;
    now_ns_ += patience.count();
    return base::failure(base::ErrorCode::busy, "the GPU was still busy");
  }
  void deliver(WindowRecord record) override { windows_.push_back(std::move(record)); }
  int taken(std::string_view name, model::Phase phase) { return group(name).needs.taken[index_of(phase)]; }

  SchedulerOptions options_{.samples = 4};  // of which bytes and lines get two
  ContextHandle context_{1, 1, 0};
  FakeProbe range_, lines_;
  Diagnostics diagnostics_;
  GroupTable groups_;
  std::vector<WindowRecord> windows_;
  std::int64_t now_ns_ = 0;
  std::int64_t queued_ns_ = 0;  // of work that the GPU still has to do whenever it is waited for
  int waits_ = 0;
  bool gpu_goes_on_ = false;             // it waits for what the program does next
  std::chrono::nanoseconds patience_{};  // of the last wait that was in vain
  std::unique_ptr<Arbiter> arbiter_;
};

}  // namespace coalescope::recorder
