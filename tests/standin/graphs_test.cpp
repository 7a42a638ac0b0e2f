// CUDA graphs: of stream captures, launched, changed, and taken apart to measure their kernels.

#include <gtest/gtest.h>
#include <string>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

using coalescope::model::Phase;

TEST(Graphs, GraphsOfStreamCapturesAreLaunched) {
  const auto recorded = record(R"(
kernel a
kernel b
launch a times=2
stream_capture g {
  launch a times=3
  launch b
}
repeat 10 {
  graph g
  launch a
}
stream_capture h {
  launch b times=2
}
graph h times=5 stream=other
launch b times=40
)");
  expect_exact(recorded);
  std::int64_t in_graphs = 0;
  for (const auto& launch : recorded.rows.launches) in_graphs += launch.graph_id ? 1 : 0;
  EXPECT_GT(in_graphs, 0);
  EXPECT_GT(recorded.measured("b", Phase::bytes), 0);
}

// The stand-in does not allow a flush before the end.
TEST(Graphs, LongRunsOfGraphsAreListed) {
  const auto recorded = record(R"(
kernel a
stream_capture g {
  launch a times=3
}
launch a
sleep ms=600
repeat 4 {
  graph g
  sleep ms=300
}
)");
  expect_exact(recorded);
  std::int64_t in_graphs = 0;
  for (const auto& launch : recorded.rows.launches) in_graphs += launch.graph_id ? 1 : 0;
  EXPECT_GT(in_graphs, 0);
}

// One that ends nothing must not count for one that comes later.
TEST(Graphs, AnEndOfNoStreamCaptureIsNone) {
  expect_exact(record(R"(
kernel a
launch a times=2
end_capture
stream_capture g {
  launch a times=40
}
graph g times=3
)"));
}

TEST(Graphs, KernelsThatRunInGraphsOnlyAreMeasured) {
  const auto recorded = record(R"(
kernel a
kernel b
kernel c
stream_capture inner node=2 {
  launch c
}
stream_capture g child=inner {
  launch a times=3
  launch b
}
graph g times=40
)",
                               {"--budget", "none"});
  expect_exact(recorded);
  for (const char* kernel : {"a", "b", "c"}) expect_all_phases(recorded, kernel);
  EXPECT_TRUE(recorded.says("taken_apart"));
}

TEST(Graphs, GraphsAreLeftAloneIfNothingIsMeasured) {
  const auto recorded =
      record("kernel a\nstream_capture g {\n launch a\n}\ngraph g times=40\n", {"--only", "trace"});
  expect_exact(recorded);
  EXPECT_FALSE(recorded.says("taken_apart"));
}

TEST(Graphs, GraphsAreLeftAloneIfTheUserSaysSo) {
  const auto recorded = record("kernel a\nstream_capture g {\n launch a\n}\ngraph g times=40\n",
                               {"--budget", "none", "--graph-profiling", "graph"});
  expect_exact(recorded);
  EXPECT_FALSE(recorded.says("taken_apart"));
  EXPECT_EQ(recorded.measured("a", Phase::bytes), 0);
}

TEST(Graphs, ChangedGraphsAreMeasuredAsTheyAreThen) {
  const auto recorded = record(R"(
kernel a
kernel b
stream_capture g {
  launch a
}
stream_capture h {
  launch b
}
graph g times=20
graph g times=5 stream=other
graph g times=5
resize g grid=7
graph g times=20
update g h
graph g times=20
)",
                               {"--budget", "none"});
  expect_exact(recorded);
  EXPECT_GT(recorded.measured("a", Phase::bytes), 1) << "of either grid";
  EXPECT_GT(recorded.measured("b", Phase::bytes), 0);
}

// To wait for the GPU would lose the program's stream capture, whether the launch is a part of it or not.
TEST(Graphs, OneThatWasReplacedIsLaunchedDuringAStreamCapture) {
  for (const char* launch : {"graph g", "graph g stream=two"}) {
    SCOPED_TRACE(launch);
    const auto recorded = record(std::string(R"(
kernel a
kernel b
stream_capture g {
  launch a
}
graph g stream=one
stream_capture h {
  launch b
  )") + launch + R"(
}
graph h stream=three
graph g times=20 stream=one
)");
    expect_exact(recorded);
    EXPECT_TRUE(recorded.says("taken_apart"));
  }
}

// The driver would not let the next launch overtake the one before it, nor let go of what belongs to a graph
// that runs. A call that fails is one that was made.
TEST(Graphs, WhatFollowsAReplacedLaunchWaitsForIt) {
  for (const char* order : {"graph g stream=two\nfail cuStreamWaitEvent with=999\n",
                            "destroy_graph g\nfail cuEventQuery_of_stream with=999\n"}) {
    SCOPED_TRACE(order);
    const auto recorded =
        record(std::string("kernel a\nstream_capture g {\n launch a\n}\ngraph g stream=one\n") + order);
    expect_exact(recorded);
    EXPECT_TRUE(recorded.came_to_pass);
  }
}

// No two threads may use one executable at once, nor one that takes its place.
TEST(Graphs, EachIsLaunchedByAThreadOfItsOwn) {
  const auto recorded = record(R"(
kernel a
kernel b
stream_capture g {
  launch a
}
stream_capture h {
  launch b
}
graph g times=40
threads 1 {
  graph h times=40
}
)");
  expect_exact(recorded);
  EXPECT_TRUE(recorded.says("taken_apart"));
}

// The driver tells of code that goes under a lock of its own, which it also takes to answer what is asked of
// a function.
TEST(Graphs, CodeGoesWhileAGraphIsRead) {
  const auto recorded = record(R"(
kernel a
module extra {
  kernel c
}
stall cuFuncGetName ms=300
threads 1 left {
  sleep ms=100
  load extra
  unload extra
}
stream_capture g {
  launch a
}
graph g times=20
sleep ms=100
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_TRUE(recorded.says("taken_apart"));
}

// The driver takes a node in a graph, and not by itself.
TEST(Graphs, AGraphThatWasBegunRunsToItsEnd) {
  const auto recorded = record(R"(
kernel a
kernel b
stream_capture g {
  launch a
  launch b times=3
}
graph g times=20
fail cuLaunchKernelEx at=2 times=1000000 with=1
)",
                               {"--budget", "none"});
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
  EXPECT_FALSE(recorded.says("did not run")) << recorded.diagnostics_text();
}

TEST(Graphs, AGraphOfAnotherContextIsLeftWhole) {
  const auto recorded = record(R"(
kernel a
stream_capture g {
  launch a
}
context second device=0
use second
graph g times=20
)",
                               {"--budget", "none"});
  expect_unharmed(recorded);
  EXPECT_FALSE(recorded.says("taken_apart"));
  EXPECT_TRUE(recorded.says("several contexts"));
}

TEST(Graphs, GraphsThatMustNotBeTakenApartAreLeftAlone) {
  for (const char* graph : {"stream_capture g node=13 {\n launch a\n}\n",  // a condition
                            "stream_capture g {\n launch ncclDevKernel_x\n launch a\n}\n",
                            // kernels on the GPU launch graphs, and so may a
                            "stream_capture h flags=4 {\n launch a\n}\nstream_capture g {\n launch a\n}\n"}) {
    SCOPED_TRACE(graph);
    const auto recorded =
        record(std::string("kernel a\nkernel ncclDevKernel_x\n") + graph + "graph g times=40\n",
               {"--budget", "none"});
    expect_exact(recorded);
    EXPECT_FALSE(recorded.says("taken_apart"));
  }
}

}  // namespace
}  // namespace standin
