// Anything may fail, at any call, in any way: the target is unharmed, what the capture holds is right, and it
// says what went wrong.

#include <algorithm>
#include <cuda.h>
#include <cupti.h>
#include <gtest/gtest.h>
#include <set>

#include "tests/standin/harness_test.h"
#include "tests/standin/recorder_functions_test.h"

namespace standin {
namespace {

using coalescope::model::CoverageReason;
using coalescope::model::Phase;
using coalescope::model::Severity;

// Calls every function that the recorder has use for.
constexpr const char* kProgram = R"(
kernel a
kernel b
copy to_device
launch a times=2
launch b times=2
stream_capture g {
  launch a
}
graph g times=2
launch a times=30
launch b times=30
sync
context second
launch b times=5
destroy second
)";

// What a capture has to tell, as lines that can be compared: a line that a faultless run has and this one
// lacks was lost, and must be named. What lacks no line lost nothing. (An empty column of a device says
// itself that it is so.)
std::set<std::string> contents(const Recorded& recorded) {
  std::set<std::string> lines;
  const auto& rows = recorded.rows;
  for (const auto& [kernel, count] : launches_in(recorded.script)) {
    lines.insert(kernel + " ran " + std::to_string(recorded.launches_of(kernel)));
    for (const auto& phase : coalescope::model::kPhaseNames)
      if (recorded.measured(kernel, phase.value) > 0)
        lines.insert(kernel + " has " + std::string(phase.name));
  }
  for (const auto& launch : rows.launches) {
    if (launch.gpu_ns && !launch.graph_id) lines.insert(recorded.kernel_of(launch.group_id) + " has times");
    if (launch.stream == 0) lines.insert("streams are unknown");
  }
  lines.insert(lines.contains("streams are unknown") ? "" : "streams are known");
  for (const auto& metric : rows.metrics) lines.insert(metric.key);
  for (const auto& row : rows.instructions)
    lines.insert(row.file.value_or("?") + ":" + std::to_string(row.line.value_or(0)));
  lines.insert("transfers " + std::to_string(rows.transfers.size()));
  lines.insert(std::to_string(rows.groups.size()) + " groups");
  return lines;
}

std::string lost(const Recorded& recorded) {
  static const auto kFaultless = contents(record(kProgram));
  std::string missing;
  const auto here = contents(recorded);
  for (const auto& line : kFaultless)
    if (!here.contains(line)) missing += line + ", ";
  return missing;
}

bool names_trouble(const Recorded& recorded) {
  for (const auto& row : recorded.rows.diagnostics)
    if (row.severity != Severity::info) return true;
  for (const auto& row : recorded.rows.coverage)
    if (row.reason == CoverageReason::failed || row.reason == CoverageReason::unsupported ||
        row.reason == CoverageReason::no_permission || row.reason == CoverageReason::window_discarded ||
        row.reason == CoverageReason::counters_busy)
      return true;
  return false;
}

void expect_borne(const Recorded& recorded) {
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  if (!recorded.came_to_pass) return expect_every_launch(recorded);
  for (const auto& [kernel, count] : launches_in(recorded.script))
    EXPECT_LE(recorded.launches_of(kernel), count) << kernel;
  EXPECT_TRUE(names_trouble(recorded) || lost(recorded).empty())
      << "nothing says why these are lost: " << lost(recorded);
}

// Which pass a counter is in differs between chips.
TEST(AnyPass, ACounterIsReadWhereItIs) {
  for (const char* key : {"l1_load_sectors", "dram_read_bytes", "executed_instructions"}) {
    const auto recorded = record(std::string(kProgram) + "missing place_for_" + key + '\n');
    expect_unharmed(recorded);
    expect_no_wrong_number(recorded);
    EXPECT_EQ(lost(recorded), "") << key;
    EXPECT_FALSE(names_trouble(recorded)) << key;
    EXPECT_TRUE(recorded.came_to_pass) << key;
  }
}

// A window that read another phase than it was opened for counts for neither.
TEST(AnyPass, AWindowOfAnotherPhaseIsThrownAway) {
  const auto recorded =
      record("kernel a\nkernel b\nlaunch a times=40\nlaunch b times=40\nmissing order_of_passes\n");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
  EXPECT_EQ(std::ranges::count(recorded.rows.windows, CoverageReason::window_discarded,
                               &coalescope::model::PhaseWindow::outcome),
            1);
  expect_all_phases(recorded, "a");
  expect_all_phases(recorded, "b");
  EXPECT_TRUE(recorded.came_to_pass);
  std::set<std::pair<std::int64_t, Phase>> read;  // by launch
  for (const auto& reading : recorded.rows.readings)
    read.insert({reading.launch_id.value, coalescope::model::metric(reading.metric_id).phase});
  std::map<std::int64_t, Phase> windows;
  for (const auto& window : recorded.rows.windows) windows[window.id.value] = window.phase;
  for (const auto& launch : recorded.rows.launches) {
    if (!launch.window_id || windows.at(launch.window_id->value) == Phase::lines) continue;
    const Phase phase = windows.at(launch.window_id->value);
    const bool any = read.lower_bound({launch.id.value, Phase{}}) != read.end() &&
                     read.lower_bound({launch.id.value, Phase{}})->first == launch.id.value;
    EXPECT_EQ(any, read.contains({launch.id.value, phase})) << coalescope::model::name_of(phase);
  }
}

class AnyFunction : public testing::TestWithParam<std::string> {
 protected:
  void play(const std::string& order) const {
    SCOPED_TRACE(order);
    const auto recorded = record(std::string(kProgram) + order + '\n');
    expect_borne(recorded);
  }
};

// 999 is "unknown error" to CUPTI and to the driver.
TEST_P(AnyFunction, MayFailOnce) {
  play("fail " + GetParam() + " with=999");
}

TEST_P(AnyFunction, MayFailAlways) {
  play("fail " + GetParam() + " times=1000000 with=999");
}

TEST_P(AnyFunction, MayFailLater) {
  for (const int call : {2, 3, 5, 8})
    play("fail " + GetParam() + " at=" + std::to_string(call) + " with=999");
}

TEST_P(AnyFunction, MayFailForAnyReason) {
  const bool is_cupti = GetParam().rfind("cupti", 0) == 0;
  const std::vector<int> codes =
      is_cupti ? std::vector<int>{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_HARDWARE_BUSY,
                                  CUPTI_ERROR_NOT_SUPPORTED, CUPTI_ERROR_OUT_OF_MEMORY}
               : std::vector<int>{CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_OUT_OF_MEMORY};
  for (const int code : codes) play("fail " + GetParam() + " with=" + std::to_string(code));
}

TEST_P(AnyFunction, MayBeMissing) {
  play("missing " + GetParam());
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}
INSTANTIATE_TEST_SUITE_P(Cupti, AnyFunction, testing::ValuesIn(kCuptiFunctions), name_of);
INSTANTIATE_TEST_SUITE_P(Driver, AnyFunction, testing::ValuesIn(kDriverFunctions), name_of);

TEST(Failures, AnOlderCuptiDoesNotKnowEveryCall) {
  const auto recorded = record("kernel a\nlaunch a times=40\nfail cuptiEnableCallback at=30 with=1\n");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_all_phases(recorded, "a");
  EXPECT_EQ(recorded.launches_of("a"), 40);
  EXPECT_TRUE(recorded.says("calls_unknown")) << recorded.diagnostics_text();
  EXPECT_FALSE(recorded.says("calls_not_watched"));
}

TEST(Failures, NoCuptiAtAll) {
  const auto recorded = record(std::string(kProgram) + "missing libcupti.so\n");
  expect_unharmed(recorded);
  EXPECT_TRUE(recorded.rows.launches.empty());
  EXPECT_TRUE(recorded.says("neither libcupti.so.13 nor libcupti.so.12 was found"))
      << recorded.diagnostics_text();
  EXPECT_NE(recorded.under.err.find("'coalescope doctor' says what mends it"), std::string::npos)
      << recorded.under.err;
}

// What a person has to do stands in the closing line.
TEST(Failures, CountersThatAreNotPermittedAreTheClosingLine) {
  const auto recorded =
      record("kernel a\nlaunch a times=40\nfail cuptiRangeProfilerSetConfig times=1000 with=35\n");
  expect_unharmed(recorded);
  EXPECT_EQ(recorded.launches_of("a"), 40);
  EXPECT_NE(recorded.under.err.find("this user may not read GPU performance counters"), std::string::npos)
      << recorded.under.err;
  EXPECT_NE(recorded.under.err.find("'coalescope doctor'"), std::string::npos) << recorded.under.err;
}

TEST(Failures, TheDriverDoesNotStart) {
  const auto recorded = record(std::string(kProgram) + "fail cuInit times=1000000 with=100\n");
  expect_unharmed(recorded);
  EXPECT_TRUE(recorded.rows.launches.empty());
}

TEST(Failures, TheDriverStartsWithoutADevice) {
  const auto recorded = record(std::string(kProgram) + "missing device\n");
  expect_unharmed(recorded);
}

// The first of them is all that is left out; 1 is what CUPTI answers to what it does not know.
TEST(Failures, AMetricOfLinesThatTheChipDoesNotKnow) {
  const auto names = [](const Recorded& recorded) {
    std::set<std::string> found;
    for (const auto& metric : recorded.rows.metrics)
      if (metric.phase == coalescope::model::Phase::lines) found.insert(metric.key);
    return found;
  };
  const auto whole = names(record(kProgram));
  for (const char* code : {"1", "17"}) {
    const auto recorded =
        record(std::string(kProgram) + "fail cuptiSassMetricsGetProperties with=" + code + '\n');
    expect_unharmed(recorded);
    expect_no_wrong_number(recorded);
    EXPECT_GT(recorded.measured("a", coalescope::model::Phase::lines), 0) << recorded.diagnostics_text();
    EXPECT_EQ(names(recorded).size() + 1, whole.size());
  }
}

TEST(Failures, AKernelFailsInAnyWindow) {
  for (const int launches : {0, 1, 3, 6, 12, 30}) {
    const auto recorded = record("kernel a\nlaunch a times=" + std::to_string(launches) +
                                 "\nlaunch a error=719\nlaunch a times=20\nsync\nexit return status=9\n");
    expect_unharmed(recorded);
    expect_no_wrong_number(recorded);
    EXPECT_GE(recorded.launches_of("a"), launches);
  }
}

// CUPTI adds a kernel of its own to each launch in a range that is recorded.
TEST(Failures, ARangeThatCannotEndAddsNoKernels) {
  const auto recorded = record(R"(
kernel k
kernel j
launch k times=50
launch j times=50
launch k times=150
fail cuptiRangeProfilerPopRange at=5 times=1000 with=2
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
}

// A window that is already open counts no more of them, either.
TEST(Failures, NothingIsCountedOfKernelsThatStayPatched) {
  const auto recorded = record(R"(
kernel a gpu_ns=20000
kernel b gpu_ns=700
kernel c gpu_ns=3000
launch a times=150
launch c times=20
launch b times=150
launch a times=60 growing
launch c times=150 grid=69 block=32
launch b times=60 growing
fail cuptiSassMetricsDisable at=4 times=2 with=2
)",
                               {});
  expect_borne(recorded);
  EXPECT_TRUE(recorded.says("cuptiSassMetricsDisable"));
}

}  // namespace
}  // namespace standin
