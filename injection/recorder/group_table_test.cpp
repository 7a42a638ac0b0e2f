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

}  // namespace
}  // namespace coalescope::recorder
