// Programs of every kind, played without a fault: each launch is in the capture, once, with the script's own
// numbers.

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

using coalescope::model::CoverageReason;
using coalescope::model::Direction;
using coalescope::model::Phase;

constexpr Phase kMeasured[] = {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits};

TEST(Programs, OneKernelIsMeasuredInEveryPhase) {
  const auto recorded = record(R"(
kernel strided gpu_ns=7000 registers=40 static_shared=1024 local=16 global_load_bytes=12800 global_load_sectors=3200 {
  load pc=64 file=/source/strided.cu line=12 instruction_sectors=3200 instruction_ideal_sectors=400
  store pc=96 file=/source/strided.cu line=13
  load pc=128
}
launch strided grid=25 block=128 shared=256 times=40
)");
  expect_exact(recorded);
  expect_all_phases(recorded, "strided");
  ASSERT_EQ(recorded.rows.groups.size(), 1U);
  const auto& group = recorded.rows.groups.front();
  EXPECT_EQ(group.grid_x, 25);
  EXPECT_EQ(group.block_x, 128);
  EXPECT_EQ(group.dynamic_shared_bytes, 256);
  const auto& kernel = recorded.rows.kernels.front();
  EXPECT_EQ(kernel.registers_per_thread, 40);
  EXPECT_EQ(kernel.static_shared_bytes, 1024);
  EXPECT_EQ(kernel.local_bytes_per_thread, 16);
  EXPECT_EQ(recorded.rows.instructions.size(), 3U);
}

// The program's own code lies in its file; a module that it makes while it runs lies in none.
TEST(Programs, KernelsNameTheFileOfTheirCode) {
  const auto recorded = record(R"(
kernel own
module extra {
  kernel made
}
launch own times=2
load extra
launch made times=2
unload extra
load extra
launch made times=2
)",
                               {"--only", "trace"});
  ASSERT_EQ(recorded.rows.kernels.size(), 2U);
  for (const auto& kernel : recorded.rows.kernels) {
    const bool own = kernel.name == "own";
    EXPECT_EQ(kernel.code_file.has_value(), own) << kernel.name;
    EXPECT_EQ(kernel.code_loader.has_value(), !own) << kernel.name;
    const auto& file = own ? kernel.code_file : kernel.code_loader;
    EXPECT_TRUE(file.value_or("").ends_with("/player")) << kernel.name << ": " << file.value_or("nobody");
  }
}

// Records of so many launches wait in memory until they are written.
TEST(Programs, TheRecorderTellsHowMuchMemoryItHeld) {
  const auto peak = [](const char* script) {
    return record(script, {"--only", "trace"}).rows.processes.front().recorder_peak_bytes.value_or(0);
  };
  const auto few = peak("kernel a\nlaunch a\n");
  EXPECT_GT(few, std::int64_t{1} << 20) << "a buffer for CUPTI's records";
  const auto many = peak("kernel a\nthreads 4 {\n launch a grid=1 times=30000\n}\n");
  EXPECT_GT(many, few);
  EXPECT_LT(many, std::int64_t{1} << 30);
}

// One each of bytes and lines, two each of L2 traffic and hits.
constexpr std::int64_t kAskedFor = 6;

struct Kept {
  std::int64_t measured = 0;
  std::int64_t timed = 0;
};
std::map<std::string, Kept> kept_by_kernel(const Recorded& recorded) {
  std::map<std::string, Kept> kept;
  for (const auto& launch : recorded.rows.launches) {
    Kept& of = kept[recorded.kernel_of(launch.group_id)];
    of.measured += launch.window_id ? 1 : 0;
    of.timed += launch.gpu_ns ? 1 : 0;
  }
  return kept;
}

TEST(Programs, AShortLoopKeepsTheTimesOfItsLaunches) {
  const auto recorded = record("kernel a\nlaunch a times=20\n", {});
  expect_exact(recorded);
  expect_all_phases(recorded, "a");
  const auto kept = kept_by_kernel(recorded).at("a");
  EXPECT_EQ(kept.measured, kAskedFor);
  EXPECT_EQ(kept.timed, 20 - kAskedFor);
}

TEST(Programs, KernelsThatTakeTurnsKeepTheTimesOfTheirLaunches) {
  const auto recorded = record(R"(
kernel once
kernel a
kernel b
launch once
repeat 20 {
  launch a
  launch b
}
)",
                               {});
  expect_exact(recorded);
  const auto kept = kept_by_kernel(recorded);
  for (const char* kernel : {"a", "b"}) {
    expect_all_phases(recorded, kernel);
    EXPECT_GE(kept.at(kernel).measured, kAskedFor) << kernel;
    EXPECT_LE(kept.at(kernel).measured, kAskedFor + 2) << kernel;  // a window may hold one more
    EXPECT_EQ(kept.at(kernel).timed, 20 - kept.at(kernel).measured) << kernel;
  }
}

TEST(Programs, AThousandKernelsInTurnAreEachMeasuredAndTimed) {
  std::string script, launches;
  for (int i = 0; i < 1000; ++i) {
    script += "kernel k" + std::to_string(i) + "\n";
    launches += "  launch k" + std::to_string(i) + "\n";
  }
  const auto recorded = record(script + "repeat 14 {\n" + launches + "}\n");
  expect_exact(recorded);
  std::int64_t measured = 0;
  for (const auto& [kernel, kept] : kept_by_kernel(recorded)) {
    EXPECT_GE(kept.measured, kAskedFor) << kernel;
    EXPECT_GE(kept.timed, 2) << kernel;
    measured += kept.measured;
  }
  EXPECT_LE(measured, 1000 * kAskedFor * 2) << "with those that pass through windows that others need";
}

TEST(Programs, LaunchesOfEveryKindAreSeen) {
  const auto recorded = record(R"(
kernel plain
kernel extended
kernel per_thread
kernel together
kernel together_too
repeat 12 {
  launch plain
  launch extended how=ex
  launch per_thread how=per_thread
  launch together how=cooperative
  launch together_too how=ex_cooperative
}
)");
  expect_exact(recorded);
  for (const char* kernel : {"plain", "extended", "per_thread"})
    EXPECT_GT(recorded.measured(kernel, Phase::bytes), 0) << kernel;
  // A window would serialise kernels that wait for each other.
  for (const char* kernel : {"together", "together_too"})
    for (const Phase phase : kMeasured) EXPECT_EQ(recorded.measured(kernel, phase), 0) << kernel;
}

TEST(Programs, EightThreadsLaunchAtOnce) {
  const auto recorded = record(R"(
kernel a
kernel b
kernel c
threads 8 {
  launch a times=50
  repeat 10 {
    launch b grid=2
    launch c how=per_thread
  }
}
)");
  expect_exact(recorded);
  expect_all_phases(recorded, "a");
}

TEST(Programs, TwoContextsAndTwoDevices) {
  const auto recorded = record(R"(
kernel a
launch a times=20
context second device=1
launch a times=20
use first
launch a times=20
use second
launch a times=20
)");
  expect_exact(recorded);
  EXPECT_EQ(recorded.rows.groups.size(), 2U);  // one a device
}

TEST(Programs, AContextEndsWhileOthersGoOn) {
  const auto recorded = record(R"(
kernel a
launch a times=5
context second
launch a times=5
destroy second
use first
launch a times=60
destroy first
context third
launch a times=20
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
}

// It is another one, on another device, also to the thread that has just used the one that ended.
TEST(Programs, AContextMayHaveTheHandleOfOneThatHasEnded) {
  const auto recorded = record(R"(
missing new_context_handles
kernel a
launch a times=5
context second
launch a times=5
destroy second
context third device=1
launch a times=20
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
  std::map<std::int64_t, std::int64_t> seen;  // of the groups, one a device
  for (const auto& row : recorded.rows.coverage) seen[row.group_id.value] = row.launches_seen;
  EXPECT_EQ(seen, (std::map<std::int64_t, std::int64_t>{{1, 10}, {2, 20}}));
}

TEST(Programs, AStreamCaptureBesideLaunchingThreads) {
  const auto recorded = record(R"(
kernel a
kernel b
threads 4 {
  launch a times=20
  repeat 20 {
    launch a
    launch b
  }
}
threads 1 left {
  launch a times=400
}
repeat 20 {
  stream_capture g {
    launch b times=3
  }
  graph g
}
sleep ms=300
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
  expect_coverage_counts(recorded);
}

TEST(Programs, ModulesComeAndGoAndHandlesAreUsedAgain) {
  const auto recorded = record(R"(
module one {
  kernel first
}
module two lazy {
  kernel second
}
repeat 6 {
  load one
  launch first times=10
  unload one
  load two
  launch second times=10
  unload two
}
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
  expect_coverage_counts(recorded);
  EXPECT_GT(recorded.measured("first", Phase::lines), 0);
  EXPECT_GT(recorded.measured("second", Phase::lines), 0);
}

TEST(Programs, CallsThatWaitAreCounted) {
  const auto recorded = record("kernel a\nlaunch a times=20\nsync\nlaunch a times=20\nsync\nsync\n");
  expect_exact(recorded);
  ASSERT_EQ(recorded.rows.waits.size(), 1U);
  EXPECT_EQ(recorded.rows.waits.front().kind, coalescope::model::SynchronizationKind::context);
  EXPECT_EQ(recorded.rows.waits.front().calls, 3) << "and none of the recorder's own";
}

// An unused window is left by the writer thread, which waits for the GPU.
TEST(Programs, WaitsOfTheWriterThreadAreNotTheProgramsOwn) {
  const auto recorded = record("kernel a\nlaunch a times=3\nsleep ms=1300\n");
  expect_exact(recorded);
  EXPECT_FALSE(recorded.rows.windows.empty());
  EXPECT_TRUE(recorded.rows.waits.empty());
}

TEST(Programs, OfALongRunEachLaunchIsListedOrCounted) {
  const auto recorded = record(R"(
kernel a
kernel b
stream_capture g {
  launch b times=2
}
launch a times=300
sleep ms=2000
launch a times=200
copy to_device bytes=8192 times=3
copy to_host bytes=100
graph g times=5
)",
                               {"--trace", "100", "--only", "trace"});
  expect_unharmed(recorded);
  std::map<std::string, std::int64_t> counted, timed;
  for (const auto& total : recorded.rows.launch_totals) {
    counted[recorded.kernel_of(total.group_id)] += total.launches;
    timed[recorded.kernel_of(total.group_id)] += total.timed_launches;
  }
  EXPECT_EQ(counted["a"], 200);
  EXPECT_EQ(timed["a"], 0) << "its kernels had no records";
  EXPECT_EQ(recorded.launches_of("a"), 300);
  EXPECT_EQ(counted["b"], 10);
  EXPECT_EQ(timed["b"], 10) << "what a graph launches is known from records only";
  ASSERT_EQ(recorded.rows.transfer_totals.size(), 2U);
  EXPECT_TRUE(recorded.rows.transfers.empty());
  for (const auto& total : recorded.rows.transfer_totals) {
    const bool to_device = total.direction == Direction::host_to_device;
    EXPECT_EQ(total.transfers, to_device ? 3 : 1);
    EXPECT_EQ(total.bytes, to_device ? 3 * 8192 : 100);
  }
  EXPECT_TRUE(recorded.says("sampled"));
}

TEST(Programs, AKernelOfTheSkipListIsOnlyTraced) {
  const auto recorded = record(R"(
kernel ncclDevKernel_AllReduce
kernel a
repeat 20 {
  launch ncclDevKernel_AllReduce
  launch a
}
)");
  expect_exact(recorded);
  for (const Phase phase : kMeasured)
    EXPECT_TRUE(recorded.has_reason("ncclDevKernel_AllReduce", phase, CoverageReason::skip_listed));
  expect_all_phases(recorded, "a");
}

TEST(Programs, AKernelThatIsLaunchedOnceIsReplayed) {
  const auto recorded = record(R"(
kernel once
kernel often
launch once
launch often times=40
)",
                               {"--budget", "none", "--replay", "kernel"});
  expect_exact(recorded);
  std::set<coalescope::model::MetricId> metrics;
  for (const auto& reading : recorded.rows.readings) {
    for (const auto& launch : recorded.rows.launches)
      if (launch.id == reading.launch_id && recorded.kernel_of(launch.group_id) == "once")
        metrics.insert(reading.metric_id);
  }
  EXPECT_TRUE(metrics.contains(coalescope::model::MetricId::global_load_bytes));
  EXPECT_TRUE(metrics.contains(coalescope::model::MetricId::l2_read_sectors));
  EXPECT_TRUE(metrics.contains(coalescope::model::MetricId::l2_hit_sectors));
}

TEST(Programs, ABudgetOfNothingIsTraceOnly) {
  const auto recorded = record(R"(
kernel a
slow cuptiRangeProfilerStart ns=3000000000
slow cuptiSassMetricsEnable ns=3000000000
launch a times=50
)",
                               {"--budget", "1%"});
  expect_exact(recorded);
  std::int64_t measured = 0;
  for (const Phase phase : kMeasured) measured += recorded.measured("a", phase);
  EXPECT_LE(measured, 5);
  EXPECT_TRUE(recorded.has_reason("a", Phase::bytes, CoverageReason::budget_spent));
}

}  // namespace
}  // namespace standin
