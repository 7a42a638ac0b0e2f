// Kernels that do several things under one name and shape, told apart by their parameter: the stand-in's
// kernels with a parameter do so many times as much.

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

using coalescope::model::MetricId;
using coalescope::model::Phase;

constexpr const char* kKernel =
    "kernel k parameter gpu_ns=7000 l1_load_sectors=4000 l1_store_sectors=4000 l2_read_sectors=4000 "
    "l2_write_sectors=0 l2_sysmem_sectors=0 global_load_sectors=4000 global_store_sectors=4000 "
    "async_copy_sectors=0\n";

// Times and counts of each group's launches, in units of what parameter 1 gives, and how many launches.
struct Behaviours {
  std::map<std::int64_t, std::set<std::int64_t>> times, counts;
  std::map<std::int64_t, int> launches;
};

Behaviours behaviours_of(const Recorded& recorded) {
  Behaviours found;
  std::map<std::int64_t, std::int64_t> groups;
  for (const auto& launch : recorded.rows.launches) {
    groups[launch.id.value] = launch.group_id.value;
    ++found.launches[launch.group_id.value];
    if (launch.gpu_ns) found.times[launch.group_id.value].insert(*launch.gpu_ns / 7000);
  }
  for (const auto& reading : recorded.rows.readings)
    if (reading.metric_id == MetricId::l1_load_sectors)
      found.counts[groups.at(reading.launch_id.value)].insert(reading.value / 4000);
  return found;
}

void expect_two(const Recorded& recorded, int often, int seldom) {
  expect_unharmed(recorded);
  expect_every_launch(recorded);
  expect_coverage_counts(recorded);
  const Behaviours found = behaviours_of(recorded);
  ASSERT_EQ(found.launches.size(), 2U) << recorded.diagnostics_text();
  const auto first = found.launches.begin()->first, second = found.launches.rbegin()->first;
  EXPECT_EQ(found.launches.at(first), often);
  EXPECT_EQ(found.launches.at(second), seldom);
  EXPECT_EQ(found.times.at(first), std::set<std::int64_t>{1});
  EXPECT_EQ(found.times.at(second), std::set<std::int64_t>{8});
  EXPECT_EQ(found.counts.at(first), std::set<std::int64_t>{1});
  EXPECT_EQ(found.counts.at(second), std::set<std::int64_t>{8});
  for (const auto& group : recorded.rows.groups) {
    EXPECT_EQ(group.variant, group.id.value == first ? 1 : 2);
    EXPECT_EQ(group.same_as, std::nullopt);
  }
}

TEST(Behaviours, EachHasARowAndItsLaunches) {
  for (const std::string budget : {"none", "20%"})
    expect_two(
        record(std::string(kKernel) +
                   "repeat 80 {\n launch k times=3 grid=4\n launch k parameter=8 grid=4\n sleep 1\n}\n",
               {"--budget", budget}),
        240, 80);
}

TEST(Behaviours, InGraphsTheyAreToldApartByTheirNodes) {
  expect_two(record(std::string(kKernel) +
                    "stream_capture g {\n launch k times=3\n launch k parameter=8\n}\ngraph g times=80\n"),
             240, 80);
}

TEST(Behaviours, OneThatDoesTheSameHasOneRow) {
  const auto recorded = record(
      "kernel k parameter l1_load_sectors=0 l1_store_sectors=0 l2_read_sectors=0 l2_write_sectors=0 "
      "l2_sysmem_sectors=0 global_load_sectors=0 global_store_sectors=0\nrepeat 40 {\n launch k\n launch k "
      "parameter=2\n launch k parameter=3\n}\n");
  expect_unharmed(recorded);
  expect_every_launch(recorded);
  expect_coverage_counts(recorded);
  for (const auto& group : recorded.rows.groups)
    EXPECT_EQ(group.variant, std::nullopt) << group.id.value << " " << group.parameters.value_or("");
  ASSERT_EQ(recorded.rows.groups.size(), 1U) << recorded.diagnostics_text();
  // A number of 8 bytes, the upper half of which stays.
  const auto& values = recorded.rows.parameter_values;
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0],
            (coalescope::model::ParameterValues{
                .group_id = recorded.rows.groups[0].id, .parameter = 0, .byte = 0, .different = 3}));
}

// Compilers at run time give functions of many modules one name.
TEST(Behaviours, AFunctionOfTheSameNameWithoutParametersIsAnotherKernel) {
  const auto recorded = record(R"(
module one {
  kernel k parameter gpu_ns=7000
}
module two {
  kernel k gpu_ns=9000
}
load one
launch k parameter=1 times=20
sync
unload one
load two
launch k no_parameters times=30
sync
)");
  expect_unharmed(recorded);
  expect_every_launch(recorded);
  ASSERT_EQ(recorded.rows.groups.size(), 2U) << recorded.diagnostics_text();
  EXPECT_NE(recorded.rows.groups[0].kernel_id, recorded.rows.groups[1].kernel_id);
  std::map<std::int64_t, std::set<std::int64_t>> times;
  for (const auto& launch : recorded.rows.launches)
    if (launch.gpu_ns) times[launch.group_id.value].insert(*launch.gpu_ns);
  const std::map<std::int64_t, std::set<std::int64_t>> expected{{recorded.rows.groups[0].id.value, {7000}},
                                                                {recorded.rows.groups[1].id.value, {9000}}};
  EXPECT_EQ(times, expected);
  for (const auto& kernel : recorded.rows.kernels) EXPECT_EQ(kernel.name, "k");
}

TEST(Behaviours, ParametersThatAreNotToldTellNothing) {
  const auto recorded = record(std::string(kKernel) +
                               "fail cuFuncGetParamInfo times=1000000 with=801\nrepeat 40 {\n launch k\n"
                               " launch k parameter=8\n}\n");
  expect_unharmed(recorded);
  expect_every_launch(recorded);
  EXPECT_EQ(recorded.rows.groups.size(), 1U);
}

}  // namespace
}  // namespace standin
