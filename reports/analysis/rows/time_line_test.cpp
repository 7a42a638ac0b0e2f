#include "reports/analysis/rows/time_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rows/spans.h"

namespace coalescope::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

// A process with one kernel group on device 1.
struct Recorded {
  std::vector<model::Process> processes{1};
  std::vector<capture::GroupView> groups{1};
  std::vector<capture::LaunchPlace> launches, measured;
  std::vector<capture::TransferPlace> copies;
  std::vector<model::PhaseWindow> windows;
  std::vector<model::TraceGap> gaps;
  std::vector<model::Synchronization> waits;
  std::vector<model::Range> ranges;
  std::vector<model::RangeName> names;

  Recorded() {
    processes[0].id = {1};
    groups[0].process_id = {1};
    groups[0].device_id = {1};
  }
  Recorded& kernel(std::int64_t start_ns, std::uint32_t gpu_ns) {
    launches.push_back({start_ns, gpu_ns, 0});
    return *this;
  }
  Recorded& copy(std::int64_t start_ns, std::uint32_t gpu_ns, std::int32_t process = 1) {
    capture::TransferPlace place;
    place.process = process;
    place.device = 1;
    place.start_ns = start_ns;
    place.gpu_ns = gpu_ns;
    copies.push_back(place);
    return *this;
  }
  Recorded& range(std::int64_t id, std::int64_t start_ns, std::optional<std::int64_t> end_ns) {
    model::Range row;
    row.process_id = {1};
    row.name_id = {id};
    row.start_ns = start_ns;
    row.end_ns = end_ns;
    ranges.push_back(row);
    return *this;
  }
  [[nodiscard]] TimeLine line() const {
    return time_line_of({processes, groups, launches, measured, copies, windows, gaps, waits, ranges, names});
  }
};

std::vector<std::array<std::int64_t, 3>> numbers(const std::vector<BusyStretch>& stretches) {
  std::vector<std::array<std::int64_t, 3>> all;
  for (const auto& each : stretches) all.push_back({each.began_ns, each.ended_ns, each.busy_ns});
  return all;
}
using Numbers = std::array<std::int64_t, 3>;

TEST(Spans, UniteWhatOverlapsOrTouches) {
  std::vector<TimeSpan> spans{{50, 60}, {0, 10}, {10, 20}, {55, 58}, {70, 80}};
  unite(spans);
  EXPECT_THAT(spans, ElementsAre(Pair(0, 20), Pair(50, 60), Pair(70, 80)));
}

TEST(Spans, CommonPartsAreThoseInBoth) {
  const std::vector<TimeSpan> one{{0, 20}, {30, 40}}, other{{10, 35}, {39, 50}};
  EXPECT_THAT(common(one, other), ElementsAre(Pair(10, 20), Pair(30, 35), Pair(39, 40)));
  EXPECT_THAT(common(one, {}), IsEmpty());
}

TEST(Stretches, WhatIsBusyThroughoutStaysExact) {
  const std::vector<TimeSpan> spans{{105, 437}};
  EXPECT_THAT(numbers(stretches_of(spans, 100, 10)), ElementsAre(Numbers{105, 437, 332}));
}

TEST(Stretches, PausesWithinABinAreAddedUp) {
  const std::vector<TimeSpan> spans{{0, 2}, {4, 6}, {11, 12}, {38, 45}};
  EXPECT_THAT(numbers(stretches_of(spans, 0, 10)),
              ElementsAre(Numbers{0, 6, 4}, Numbers{11, 12, 1}, Numbers{38, 45, 7}));
}

TEST(Stretches, ALongOneIsNotThinnedByWhatFollowsInItsLastBin) {
  const std::vector<TimeSpan> spans{{0, 32}, {35, 36}, {39, 50}};
  EXPECT_THAT(numbers(stretches_of(spans, 0, 10)),
              ElementsAre(Numbers{0, 32, 32}, Numbers{35, 40, 2}, Numbers{40, 50, 10}));
}

TEST(TimeLine, TellsKernelsAndCopiesApartAndWhatRanAtOnce) {
  const TimeLine line = Recorded().kernel(1000, 400).kernel(1200, 400).copy(1500, 300).line();
  EXPECT_EQ(line.began_ns, 1000);
  EXPECT_EQ(line.ended_ns, 1800);
  ASSERT_THAT(line.devices, SizeIs(1));
  EXPECT_THAT(numbers(line.devices[0].kernels), ElementsAre(Numbers{1000, 1600, 600}));
  EXPECT_THAT(numbers(line.devices[0].copies), ElementsAre(Numbers{1500, 1800, 300}));
  EXPECT_THAT(numbers(line.devices[0].at_once), ElementsAre(Numbers{1500, 1600, 100}));
}

TEST(TimeLine, AMillionLaunchesBecomeStretchesForAScreenAndLoseNoTime) {
  Recorded recorded;
  constexpr std::int64_t kLaunches = 100'000;
  for (std::int64_t at = 0; at < kLaunches; ++at) recorded.kernel(at * 10'000, 3'000);
  const TimeLine line = recorded.line();
  const auto& kernels = line.devices.at(0).kernels;
  EXPECT_LE(kernels.size(), 2 * static_cast<std::size_t>(kTimeBins));
  std::int64_t busy_ns = 0;
  for (const auto& each : kernels) busy_ns += each.busy_ns;
  EXPECT_EQ(busy_ns, kLaunches * 3'000);
}

TEST(TimeLine, SaysWhereNothingWasListedAndWhereItMeasured) {
  Recorded recorded;
  recorded.kernel(1000, 100);
  recorded.processes[0].ended_ns = 9000;
  recorded.gaps.push_back({1, {1}, 2000, 3000});
  recorded.gaps.push_back({2, {1}, 5000, std::nullopt});
  model::PhaseWindow window;
  window.process_id = {1};
  window.phase = model::Phase::bytes;
  window.began_ns = 3500;
  window.ended_ns = 4000;
  recorded.windows = {window};
  EXPECT_THAT(numbers(recorded.line().processes.at(0).measuring), ElementsAre(Numbers{3500, 4000, 500}))
      << "when its launches began was not recorded";
  recorded.measured = {{3600, 0, 0}, {3700, 0, 0}, {8000, 0, 0}};
  recorded.copy(3800, 10);
  const TimeLine line = recorded.line();
  EXPECT_EQ(line.ended_ns, 9000);
  EXPECT_THAT(numbers(line.processes.at(0).unlisted),
              ElementsAre(Numbers{2000, 3000, 1000}, Numbers{5000, 9000, 4000}));
  EXPECT_THAT(numbers(line.processes.at(0).measuring), ElementsAre(Numbers{3600, 3800, 200}))
      << "until the next thing began; what else runs while a window is open has its time";
}

TEST(TimeLine, LaterRunsOfTheProgramAreNoPartOfIt) {
  Recorded recorded;
  recorded.kernel(1000, 100).copy(50'000, 100, 2);
  recorded.processes.push_back(recorded.processes[0]);
  recorded.processes[1].id = {2};
  recorded.processes[1].run = 1;
  const TimeLine line = recorded.line();
  EXPECT_EQ(line.ended_ns, 1100);
  EXPECT_THAT(line.devices, SizeIs(1));
  EXPECT_THAT(line.processes, SizeIs(1));
}

TEST(TimeLine, KeepsTheLongestRangesInTheOrderOfTime) {
  Recorded recorded;
  recorded.kernel(0, 1'000'000);
  recorded.names.push_back({{7}, {1}, std::nullopt, "step"});
  for (std::size_t at = 0; at < kRangesListed + 5; ++at)
    recorded.range(7, static_cast<std::int64_t>(at) * 10,
                   static_cast<std::int64_t>(at) * 10 + (at < 5 ? 1 : 5));
  recorded.range(7, 500'000, std::nullopt);
  const TimeLine line = recorded.line();
  EXPECT_THAT(line.ranges, SizeIs(kRangesListed));
  EXPECT_EQ(line.ranges_left_out, 6);
  EXPECT_EQ(line.ranges.front().name, "step");
  EXPECT_THAT(line.short_ranges, SizeIs(testing::Ge(1U))) << "what is left out is not lost";
  EXPECT_EQ(line.ranges.back().began_ns, 500'000);
  EXPECT_FALSE(line.ranges.back().ended_ns);
}

TEST(TimeLine, WithoutOperationsThereIsNone) {
  const TimeLine line = Recorded().line();
  EXPECT_EQ(line.bin_ns, 0);
  EXPECT_THAT(line.devices, IsEmpty());
}

}  // namespace
}  // namespace coalescope::analysis
