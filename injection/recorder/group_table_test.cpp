#include "injection/recorder/group_table.h"

#include <gtest/gtest.h>
#include <set>

namespace coalescope::recorder {
namespace {

using model::Phase;

class GroupTableTest : public ::testing::Test {
 protected:
  Group& group(std::int64_t blocks, std::int64_t threads = 128) {
    return table_.find_or_add("_Z6updatePf", 0, {{blocks, 1, 1}, {threads, 1, 1}});
  }

  GroupTable table_{[](const model::Kernel&) {}, [](const model::KernelGroup&) {},
                    [](std::string_view) { return model::CoverageReason::measured; }};
};

TEST_F(GroupTableTest, AFewShapesAreMeasuredOneByOne) {
  for (int blocks = 1; blocks <= 16; ++blocks) EXPECT_EQ(group(blocks).needs.shared, nullptr);
}

TEST_F(GroupTableTest, ManyShapesShareWhatIsMeasuredBySize) {
  for (int blocks = 1; blocks <= 256; ++blocks) (void)group(blocks);
  std::set<SharedNeeds*> classes;
  for (int blocks = 1; blocks <= 256; ++blocks) {
    classes.insert(group(blocks).needs.shared);
    EXPECT_EQ(group(blocks).needs.shared, group(blocks).needs.shared);
  }
  EXPECT_FALSE(classes.contains(nullptr));
  EXPECT_GE(classes.size(), 8U) << "sizes that span the range";
  EXPECT_EQ(group(200).needs.shared, group(250).needs.shared);
  EXPECT_NE(group(100).needs.shared, group(200).needs.shared);
  EXPECT_EQ(group(100, 64).needs.shared, nullptr) << "another block is another family";
}

TEST_F(GroupTableTest, EachShapeKnowsHowManyCameBefore) {
  for (int blocks = 1; blocks <= 20; ++blocks) EXPECT_EQ(group(blocks).needs.shape, blocks - 1);
  EXPECT_EQ(group(100, 64).needs.shape, 0) << "another block is another family";
}

TEST_F(GroupTableTest, WhatTheFirstShapesHadCountsForTheirSizes) {
  group(200).needs.count(Phase::bytes, 1);
  table_.timed(group(200), 5000);
  for (int blocks = 1; blocks <= 256; ++blocks) (void)group(blocks);
  group(201).needs.count(Phase::lines, 1);
  table_.timed(group(201), 6000);
  const SharedNeeds& sizes = *group(199).needs.shared.load();
  EXPECT_EQ(sizes.taken[index_of(Phase::bytes)], 1);
  EXPECT_EQ(sizes.taken[index_of(Phase::lines)], 1);
  EXPECT_EQ(sizes.gpu_ns, 11'000);
}

// Records of kernels in a graph inside of another have ids that nobody told.
TEST_F(GroupTableTest, RecordsOfAnUnknownNodeFindTheGroupsOfTheirGraph) {
  KernelRun run;
  run.kernel_name = "fusion";
  run.shape = {{8, 1, 1}, {128, 1, 1}};
  run.graph_id = 3;
  run.graph_node = 11;
  run.correlation = 12;
  run.counted = false;
  Group& first = table_.find_or_add("fusion", 0, run.shape, 17);
  Group& second = table_.find_or_add("fusion", 0, run.shape, 18);
  ASSERT_NE(&first, &second);
  EXPECT_EQ(&table_.group_of(run), &first);
  const auto list = table_.list_groups({&group(4), &second});
  EXPECT_EQ(table_.list_groups({&group(4), &second}), list) << "a graph that has not changed";
  table_.graph_launched(run.correlation, list.value());
  EXPECT_EQ(&table_.group_of(run), &second);
  EXPECT_FALSE(table_.is_counted(run));
  run.correlation = 13;
  EXPECT_EQ(&table_.group_of(run), &first) << "of another launch";
  table_.graph_counted(run.correlation);
  EXPECT_TRUE(table_.is_counted(run));
  EXPECT_TRUE(table_.name_node(run.graph_node, second));
  EXPECT_EQ(&table_.group_of(run), &second) << "known by its node";
}

TEST_F(GroupTableTest, FunctionsOfOneNameWithOtherParametersAreOtherKernels) {
  const Shape shape{{8, 1, 1}, {128, 1, 1}};
  Group& unknown = table_.find_or_add("fusion", 0, shape);
  Group& first = table_.find_or_add("fusion", 0, shape, 17);
  EXPECT_EQ(&first, &unknown) << "nobody had asked yet";
  Group& second = table_.find_or_add("fusion", 0, shape, 18);
  EXPECT_NE(second.row.kernel_id, first.row.kernel_id);
  EXPECT_EQ(&table_.find_or_add("fusion", 0, shape, 17), &first);
  EXPECT_EQ(&table_.find_or_add("fusion", 0, shape, 18), &second);

  table_.launched(41, first, false);
  table_.launched(42, second, false);
  KernelRun run{.kernel_name = "fusion", .shape = shape, .correlation = 41};
  EXPECT_EQ(&table_.group_of(run), &first);
  run.correlation = 42;
  EXPECT_EQ(&table_.group_of(run), &second);
  run.shape.grid[0] = 9;
  EXPECT_EQ(table_.group_of(run).row.kernel_id, first.row.kernel_id) << "that id is of another launch";
  run.correlation = 0;
  run.shape = shape;
  EXPECT_EQ(&table_.group_of(run), &first);
}

}  // namespace
}  // namespace coalescope::recorder
