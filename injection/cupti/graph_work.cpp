#include "injection/cupti/graph_work.h"

#include <fmt/format.h>
#include <string>
#include <type_traits>

namespace coalescope::cupti {
namespace {

using base::ErrorCode;
using base::failure;
using base::Result;

template <class Work, class Place>
Result<void> keep(Result<Work> work, Place& place) {
  return std::move(work).map([&](Work&& read) { place = std::move(read); });
}

base::Failure unknown_node() {
  return failure(ErrorCode::unsupported, "the program changed a node that is not known");
}

// Of nodes that are not launched without their graph.
std::string words_of(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_HOST:
      return "a host function";
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return "an event";
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return "a semaphore";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return "an allocation";
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return "a condition";
    default:
      return fmt::format("a node of type {} (CUgraphNodeType)", static_cast<int>(type));
  }
}

Result<GraphWork> child_of(GraphReader& reader, CUgraphNode node) {
  return reader.child(node).and_then([&](CUgraph child) { return GraphWork::copy(reader, child); });
}

}  // namespace

Result<void> GraphWork::read(GraphReader& reader, Node& node) {
  const auto type = reader.type(node.handle);
  if (!type) return base::relay(type);
  switch (*type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return keep(reader.kernel(node.handle), node.work);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return keep(reader.copy(node.handle), node.work);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return keep(reader.set(node.handle), node.work);
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return keep(child_of(reader, node.handle), node.work);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return {};
    default:
      return failure(ErrorCode::unsupported, fmt::format("it has {}", words_of(*type)));
  }
}

Result<GraphWork> GraphWork::copy(GraphReader& reader, CUgraph graph) {
  const auto nodes = reader.nodes(graph);
  if (!nodes) return base::relay(nodes);
  GraphWork work;
  work.nodes_.reserve(nodes->size());
  for (CUgraphNode handle : *nodes) {
    work.nodes_.push_back({handle, {}});
    if (auto done = read(reader, work.nodes_.back()); !done) return base::relay(done);
  }
  return work;
}

GraphWork::Node* GraphWork::find(CUgraphNode handle) {
  for (Node& node : nodes_) {
    if (node.handle == handle) return &node;
    auto* child = std::get_if<GraphWork>(&node.work);
    if (Node* found = child == nullptr ? nullptr : child->find(handle)) return found;
  }
  return nullptr;
}

Result<void> GraphWork::change(GraphReader& reader, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& params) {
  Node* const found = find(node);
  auto* const kernel = found == nullptr ? nullptr : std::get_if<GraphKernel>(&found->work);
  if (kernel == nullptr) return unknown_node();
  auto changed = reader.kernel(params);
  if (changed) changed->attributes = std::move(kernel->attributes);
  if (changed) changed->node = node;
  return keep(std::move(changed), *kernel);
}

Result<void> GraphWork::change(GraphReader& reader, CUgraphNode node, const CUDA_MEMCPY3D& params) {
  Node* const found = find(node);
  return found == nullptr ? unknown_node() : keep(reader.copy(params), found->work);
}

Result<void> GraphWork::change(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS& params) {
  Node* const found = find(node);
  if (found == nullptr) return unknown_node();
  found->work = params;
  return {};
}

Result<void> GraphWork::change(GraphReader& reader, CUgraphNode node, CUgraph child) {
  Node* const found = find(node);
  return found == nullptr ? unknown_node() : keep(copy(reader, child), found->work);
}

bool GraphWork::holds_graphs() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return std::holds_alternative<GraphWork>(node.work); });
}

std::vector<const GraphKernel*> GraphWork::kernels() const {
  std::vector<const GraphKernel*> kernels;
  for_each([&](const auto& work) {
    if constexpr (std::is_same_v<decltype(work), const GraphKernel&>) kernels.push_back(&work);
  });
  return kernels;
}

}  // namespace coalescope::cupti
