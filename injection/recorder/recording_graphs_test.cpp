#include <gtest/gtest.h>
#include <vector>

#include "injection/recorder/recording_fixture_test.h"

namespace coalescope::recorder {
namespace {

class RecordingGraphs : public RecordingTest {};

TEST_F(RecordingGraphs, AKernelSeenOnlyInAGraphIsCountedAndHasItsReason) {
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

TEST_F(RecordingGraphs, AGraphLaunchBringsKernelsTheirRecordsBack) {
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

TEST_F(RecordingGraphs, KernelsOfAKnownGraphNeedNoRecords) {
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

// Its records are asked for: they alone count its launches.
TEST_F(RecordingGraphs, AGraphWhoseRecordsHaveIdsOfTheirOwnIsListed) {
  make_long();
  LaunchInfo kernel;
  kernel.kernel_name = "kernel";
  GraphNeeds graph;
  recording().functions_changed();
  backend_.layout = {{0, 8}};
  launch("kernel");
  backend_.layout = {{0, 16}};
  recording().functions_changed();
  recording().find_groups(graph, {kernel}, {});
  ASSERT_NE(graph.counts, nullptr);
  EXPECT_TRUE(graph.counts->list);
  recording().after_launch(recording().before_graph_launch(FakeBackend::kGraphLaunch, graph.counts.get()),
                           true);
  EXPECT_TRUE(backend_.kernels_traced);
  deliver(FakeBackend::kGraphKernel + FakeBackend::kLate);
  const std::int64_t id = graph.groups.at(0)->row.id.value;
  const auto totals = finish().rows<model::LaunchTotal>().value();
  const auto of_graph = std::ranges::find(totals, id, [](const auto& row) { return row.group_id.value; });
  ASSERT_NE(of_graph, totals.end());
  EXPECT_EQ(of_graph->launches, 1);
}

// Records of kernels without an id find the first group of their name and shape.
TEST_F(RecordingGraphs, AGraphIsCountedIfRecordsFindTheSameGroups) {
  LaunchInfo kernel;
  kernel.kernel_name = "kernel";
  GraphNeeds graph;
  const std::vector<std::uint64_t> ids{FakeBackend::kNode, 0};
  recording().find_groups(graph, {kernel, kernel}, {ids});
  EXPECT_EQ(graph.groups.size(), 2U);
  ASSERT_NE(graph.counts, nullptr);
  ASSERT_EQ(graph.counts->kernels.size(), 1U);
  EXPECT_EQ(graph.counts->kernels.front().kernels, 2);
  (void)finish();
}

}  // namespace
}  // namespace coalescope::recorder
