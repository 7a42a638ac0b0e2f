#include "injection/recorder/graph_needs.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

TEST(GraphNeeds, AGraphWhoseKernelsHaveAllIsLeftAlone) {
  Group one, other;
  GraphNeeds graph;
  graph.groups = {&one, &other};
  EXPECT_TRUE(graph.lacks()) << "nothing is known of it yet";
  EXPECT_EQ(graph.wish(), Wish::now);
  one.satisfied = true;
  EXPECT_EQ(graph.wish(), Wish::now);
  other.satisfied = true;
  EXPECT_EQ(graph.wish(), Wish::later);
  EXPECT_FALSE(graph.lacks());
}

TEST(GraphNeeds, KernelsThatWaitForOthersKeepAGraphWhole) {
  Group kernel, collective, endless;
  collective.reason = model::CoverageReason::skip_listed;
  endless.may_never_end = true;
  GraphNeeds graph;
  graph.groups = {&kernel, &collective};
  EXPECT_EQ(graph.wish(), Wish::never);
  graph.groups = {&kernel, &endless};
  EXPECT_EQ(graph.wish(), Wish::never);
}

TEST(GraphNeeds, ARefusedKernelRests) {
  Group kernel;
  kernel.needs.rest = 2;
  GraphNeeds graph;
  graph.groups = {&kernel};
  EXPECT_EQ(graph.wish(), Wish::later);
  EXPECT_EQ(graph.wish(), Wish::later);
  EXPECT_EQ(graph.wish(), Wish::now);
}

TEST(GraphNeeds, WhereNothingIsMeasuredMoreAndMoreLaunchesPass) {
  Group kernel;
  GraphNeeds graph;
  graph.groups = {&kernel};
  int launches = 0;
  for (int replaced = 0; replaced < 4; ++replaced) {
    while (graph.wish() != Wish::now) ++launches;
    graph.taken_apart(false);
  }
  EXPECT_EQ(launches, 1 + 3 + 7);
  while (graph.wish() != Wish::now) {
  }
  graph.taken_apart(true);
  EXPECT_EQ(graph.wish(), Wish::now);
}

}  // namespace
}  // namespace coalescope::recorder
