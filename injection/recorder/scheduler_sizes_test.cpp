// Programs whose grids change with each launch, played to the scheduler with the prices that an H100 showed.

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>

#include "injection/recorder/group_table.h"

namespace coalescope::recorder {
namespace {

using model::Phase;

constexpr std::int64_t kMicrosecond = 1'000, kMillisecond = 1'000'000;

// Charges what windows cost, as the arbiter does, and lets time go by. Records of kernels come half a second
// late.
class Program {
 public:
  // `configure_ns`: the first window of a process takes two or three times as long on a host that has just
  // started.
  explicit Program(std::int64_t configure_ns) : configure_ns_(configure_ns) {}

  void launch(const std::string& kernel, std::int64_t blocks, std::int32_t parameter, std::int64_t gpu_ns) {
    Group& first = table_.find_or_add(kernel, 0, {{blocks, 1, 1}, {128, 1, 1}});
    if (first.variants == nullptr) table_.tell_apart(first, {{0, 4}});
    const std::array<const void*, 1> parameters{&parameter};
    LaunchInfo launch;
    launch.parameters = parameters.data();
    Group& group = table_.variant_of(first, launch);
    group.needs.launches = ++group.launches_seen;
    now_ns_ += gpu_ns;
    timed_.emplace(now_ns_ + 500 * kMillisecond, std::pair(&group, gpu_ns));
    for (; timed_.begin()->first <= now_ns_; timed_.erase(timed_.begin()))
      table_.timed(*timed_.begin()->second.first, timed_.begin()->second.second);
    if (scheduler_.satisfied(group.needs) || (!scheduler_.open() && group.needs.rests())) return;
    const auto phase = scheduler_.decide(group.needs, 1, now_ns_, table_.gpu_ns());
    if (phase == Phase::trace) group.needs.took(gpu_ns);
    if (phase && phase != Phase::trace) measure(group, *phase, gpu_ns);
  }

  // Of the shapes of a kernel: how many have been measured in the phase.
  [[nodiscard]] int shapes(const std::string& kernel, Phase phase) {
    std::map<std::int64_t, bool> measured;
    table_.for_each([&](Group& group) {
      if (group.row.kernel_id == table_.kernel_id(kernel) && group.needs.taken[index_of(phase)] > 0)
        measured[group.row.grid_x] = true;
    });
    return static_cast<int>(measured.size());
  }

 private:
  void measure(Group& group, Phase phase, std::int64_t gpu_ns) {
    std::int64_t cost_ns = is_patched(phase) ? 15 * gpu_ns + 40 * kMicrosecond : 90 * kMicrosecond;
    if (phase == Phase::lines) cost_ns = 50 * gpu_ns + 1'500 * kMicrosecond;
    if (sweeps(phase) && (scheduler_.open() != phase || in_window_ == kCapacity)) enter(phase);
    if (sweeps(phase)) ++in_window_;
    group.needs.count(phase, 1);
    now_ns_ += cost_ns;
    scheduler_.charge_launch(group.needs, phase, cost_ns, now_ns_);
    if (in_window_ == kCapacity) scheduler_.closed();
  }
  void enter(Phase phase) {
    const std::int64_t enter_ns = phase == Phase::bytes ? 10 * kMillisecond : 35 * kMillisecond;
    const std::int64_t cost_ns = std::exchange(configure_ns_, 0) + enter_ns;
    scheduler_.charge(cost_ns);
    now_ns_ += cost_ns;
    in_window_ = 0;
    scheduler_.opened(phase, 1, now_ns_);
  }

  static constexpr int kCapacity = 64;
  GroupTable table_{[](const model::Kernel&) {}, [](const model::KernelGroup&) {},
                    [](std::string_view) { return model::CoverageReason::measured; }};
  Scheduler scheduler_{SchedulerOptions{}};
  std::multimap<std::int64_t, std::pair<Group*, std::int64_t>> timed_;
  std::int64_t now_ns_ = 300 * kMillisecond;
  std::int64_t configure_ns_;
  int in_window_ = 0;
};

class SchedulerSizes : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void expect_sizes(const std::string& kernel) {
    for (const Phase phase : kMeasuredPhases)
      EXPECT_GE(program_.shapes(kernel, phase), 8) << kernel << ": " << model::name_of(phase);
  }
  Program program_{GetParam() * kMillisecond};
};

// Each shape is launched 8 or 64 times in a row, some 3 s in all.
TEST_P(SchedulerSizes, AFactorisationGetsAllKindsOfAnswersOverItsSizes) {
  for (int round = 0; round < 20; ++round)
    for (int step = 0; step < 2047; ++step) {
      const std::int64_t left = 2047 - step;
      program_.launch("scale_column", (left + 63) / 64, step, 2 * kMicrosecond);
      program_.launch("update", ((left + 31) / 32) * ((left + 7) / 8), step,
                      4 * kMicrosecond + left * left * 12);
    }
  expect_sizes("update");
  expect_sizes("scale_column");
}

// Each shape is launched 128 times in a row.
TEST_P(SchedulerSizes, AWavefrontGetsAllKindsOfAnswersOverItsSizes) {
  for (int round = 0; round < 20; ++round)
    for (const auto* kernel : {"align_rows", "align_skewed"})
      for (int wave = 2; wave <= 8192; ++wave) {
        const std::int64_t cells = std::min(4096, wave - 1) - std::max(1, wave - 4096) + 1;
        program_.launch(kernel, (cells + 127) / 128, wave, 3 * kMicrosecond);
      }
  expect_sizes("align_rows");
  expect_sizes("align_skewed");
}

INSTANTIATE_TEST_SUITE_P(Hosts, SchedulerSizes, ::testing::Values(300, 700),
                         [](const auto& test) { return std::to_string(test.param) + "ms"; });

}  // namespace
}  // namespace coalescope::recorder
