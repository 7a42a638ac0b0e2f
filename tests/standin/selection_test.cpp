// The options of `record` that choose what is measured. Whatever they leave out is traced all the same.

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

using coalescope::model::CoverageReason;
using coalescope::model::Phase;

constexpr const char* kTwoKernels = R"(
kernel strided
kernel plain
launch strided times=30
launch plain times=30
)";

Recorded record_with(std::vector<std::string> flags, const std::string& script = kTwoKernels) {
  flags.insert(flags.end(), {"--budget", "none"});
  auto recorded = record(script, flags);
  expect_exact(recorded);
  return recorded;
}

std::int64_t in_windows(const Recorded& recorded, const std::string& kernel) {
  return std::ranges::count_if(recorded.rows.launches, [&](const auto& launch) {
    return launch.window_id && recorded.kernel_of(launch.group_id) == kernel;
  });
}

void expect_left_out(const Recorded& recorded, const std::string& kernel) {
  EXPECT_EQ(in_windows(recorded, kernel), 0);
  EXPECT_TRUE(recorded.has_reason(kernel, Phase::bytes, CoverageReason::not_selected));
}

TEST(Selection, ByName) {
  const auto recorded = record_with({"--kernel", "strid"});
  EXPECT_GT(in_windows(recorded, "strided"), 0);
  expect_left_out(recorded, "plain");
}

TEST(Selection, ByNameThatIsNotWanted) {
  const auto recorded = record_with({"--exclude", "^strided$"});
  EXPECT_EQ(in_windows(recorded, "strided"), 0);
  EXPECT_TRUE(recorded.has_reason("strided", Phase::bytes, CoverageReason::skip_listed));
  EXPECT_GT(in_windows(recorded, "plain"), 0);
}

TEST(Selection, ByNumber) {
  const auto behind = record_with({"--skip", "59"});
  expect_left_out(behind, "strided");
  EXPECT_EQ(in_windows(behind, "plain"), 1);

  const auto first = record_with({"--launches", "2"});
  EXPECT_EQ(in_windows(first, "strided"), 2);
  expect_left_out(first, "plain");

  const auto both = record_with({"--skip", "29", "--launches", "2"});
  EXPECT_EQ(in_windows(both, "strided"), 1);
  EXPECT_EQ(in_windows(both, "plain"), 1);
}

// The first launches have to be over by then even where sanitizers slow a busy machine down: few, and
// seconds.
TEST(Selection, ByTime) {
  const std::string script = R"(
kernel strided
kernel plain
launch strided times=2
sleep ms=7000
launch plain times=5
)";
  const auto late = record_with({"--after", "5s"}, script);
  expect_left_out(late, "strided");
  EXPECT_GT(in_windows(late, "plain"), 0);

  const auto never = record_with({"--after", "600s"}, kTwoKernels);
  expect_left_out(never, "strided");
  expect_left_out(never, "plain");
}

TEST(Selection, FromWithinTheProgram) {
  const auto recorded = record_with({"--profile-from-start", "off"});
  expect_left_out(recorded, "strided");
  expect_left_out(recorded, "plain");
}

TEST(Selection, ByKindOfReading) {
  struct Kind {
    const char* only;
    std::vector<Phase> phases;
  };
  for (const auto& [only, phases] : {Kind{"trace", {}}, Kind{"lines", {Phase::lines}},
                                     Kind{"counters", {Phase::bytes, Phase::traffic, Phase::hits}}}) {
    const auto recorded = record_with({"--only", only});
    for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits}) {
      const bool wanted = std::ranges::find(phases, phase) != phases.end();
      EXPECT_EQ(recorded.measured("strided", phase) > 0, wanted)
          << only << ' ' << coalescope::model::name_of(phase);
      EXPECT_EQ(recorded.has_reason("strided", phase, CoverageReason::phase_off), !wanted) << only;
    }
  }
}

TEST(Selection, KernelReplayReadsAllOfOneLaunch) {
  const auto recorded = record_with({"--replay", "kernel"}, "kernel once\nlaunch once\n");
  for (const Phase phase : {Phase::bytes, Phase::traffic, Phase::hits})
    EXPECT_EQ(recorded.measured("once", phase), 1) << coalescope::model::name_of(phase);
  const auto counted = [&](coalescope::model::MetricId id) {
    return std::ranges::count(recorded.rows.readings, id, &coalescope::model::Reading::metric_id);
  };
  EXPECT_EQ(counted(coalescope::model::MetricId::constant_replays), 1);
  EXPECT_EQ(counted(coalescope::model::MetricId::l2_hit_sectors), 1);
}

TEST(Selection, ABudgetOfNothingMeasuresNothing) {
  const auto recorded = record(kTwoKernels, {"--budget", "0.001s"});
  expect_exact(recorded);
  EXPECT_EQ(in_windows(recorded, "strided"), 0);
  EXPECT_TRUE(recorded.has_reason("strided", Phase::bytes, CoverageReason::budget_spent));
}

}  // namespace
}  // namespace standin
