// The verbs of scripts that make, change and launch graphs.

#include "tests/standin/player.h"
#include "tests/standin/player_calls.h"

namespace standin {

void Player::stream_capture(const Statement& statement, Place& place) {
  need_context(place);
  Place inside{place.context, statement.option("stream", "capturing")};
  auto* const captured_stream = stream(inside.stream, place.context);
  CUgraph graph = nullptr;
  went_well("cuStreamBeginCapture", cuStreamBeginCapture(captured_stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  run(statement.body, inside);
  if (!went_well("cuStreamEndCapture", cuStreamEndCapture(captured_stream, &graph))) return;
  const auto type = statement.number("node", 0);
  if (const auto child = statement.option("child", ""); !child.empty())
    standin_add_node(graph, CU_GRAPH_NODE_TYPE_GRAPH, stream_captured_.at(child));
  else if (type != 0)
    standin_add_node(graph, static_cast<int>(type), nullptr);
  const auto flags = static_cast<unsigned long long>(statement.number("flags", 0));
  CUgraphExec executable = nullptr;
  went_well("cuGraphInstantiate", cuGraphInstantiate(&executable, graph, flags));
  const std::lock_guard lock(mutex_);
  stream_captured_[statement.word(0)] = graph;
  graphs_[statement.word(0)] = executable;
}

// Of a stream that is not captured.
void Player::end_capture(const Statement&, Place& place) {
  need_context(place);
  CUgraph graph = nullptr;
  went_well("cuStreamEndCapture", cuStreamEndCapture(stream("not captured", place.context), &graph));
}

// The first graph's executable is changed to what the second one does.
void Player::update(const Statement& statement, Place&) {
  CUgraphExecUpdateResultInfo result{};
  went_well("cuGraphExecUpdate", cuGraphExecUpdate(graphs_.at(statement.word(0)),
                                                   stream_captured_.at(statement.word(1)), &result));
}

// Another grid for the graph's first node.
void Player::resize(const Statement& statement, Place&) {
  std::size_t count = 0;
  went_well("cuGraphGetNodes", cuGraphGetNodes(stream_captured_.at(statement.word(0)), nullptr, &count));
  std::vector<CUgraphNode> nodes(count);
  went_well("cuGraphGetNodes", cuGraphGetNodes(stream_captured_.at(statement.word(0)), nodes.data(), &count));
  CUDA_KERNEL_NODE_PARAMS params{};
  went_well("cuGraphKernelNodeGetParams", cuGraphKernelNodeGetParams(nodes.back(), &params));
  params.gridDimX = static_cast<unsigned>(statement.number("grid", 1));
  went_well("cuGraphExecKernelNodeSetParams",
            cuGraphExecKernelNodeSetParams(graphs_.at(statement.word(0)), nodes.back(), &params));
}

void Player::graph(const Statement& statement, Place& place) {
  auto* const target = stream_of(statement, place);
  for (auto i = statement.number("times", 1); i > 0; --i)
    went_well("cuGraphLaunch", cuGraphLaunch(graphs_.at(statement.word(0)), target));
}

void Player::destroy_graph(const Statement& statement, Place&) {
  went_well("cuGraphExecDestroy", cuGraphExecDestroy(graphs_.at(statement.word(0))));
  graphs_.erase(statement.word(0));
}

}  // namespace standin
