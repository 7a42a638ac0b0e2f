#pragma once
// What an executable graph does, node by node, in an order that its dependencies allow: enough to do the same
// without the graph, where each kernel can be measured. Copied when the graph is instantiated, because it may
// be gone when the executable is launched.
//
// A graph whose nodes mean something only inside a graph (conditions, host functions, memory, events), or
// that kernels on the GPU change, is not copied.

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "injection/cupti/graph_reader.h"

namespace coalescope::cupti {

class GraphWork {
 public:
  // An Error says why the graph is not copied.
  [[nodiscard]] static base::Result<GraphWork> copy(GraphReader& reader, CUgraph graph);

  // The executable's node was changed. An Error: this copy is of no use any more.
  [[nodiscard]] base::Result<void> change(GraphReader& reader, CUgraphNode node,
                                          const CUDA_KERNEL_NODE_PARAMS& params);
  [[nodiscard]] base::Result<void> change(GraphReader& reader, CUgraphNode node, const CUDA_MEMCPY3D& params);
  [[nodiscard]] base::Result<void> change(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS& params);
  [[nodiscard]] base::Result<void> change(GraphReader& reader, CUgraphNode node, CUgraph child);

  // Whether a node of it is a graph, too.
  [[nodiscard]] bool holds_graphs() const;

  // In the order of their launches.
  [[nodiscard]] std::vector<const GraphKernel*> kernels() const;

  // Calls `visit` with each GraphKernel, CUDA_MEMCPY3D and CUDA_MEMSET_NODE_PARAMS in turn.
  template <class Visit>
  void for_each(Visit&& visit) const;

 private:
  struct Node;

  [[nodiscard]] static base::Result<void> read(GraphReader& reader, Node& node);
  [[nodiscard]] Node* find(CUgraphNode handle);

  std::vector<Node> nodes_;
};

struct GraphWork::Node {
  CUgraphNode handle = nullptr;
  std::variant<std::monostate, GraphKernel, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, GraphWork> work;
};

template <class Visit>
void GraphWork::for_each(Visit&& visit) const {
  for (const Node& node : nodes_) {
    if (const auto* kernel = std::get_if<GraphKernel>(&node.work)) visit(*kernel);
    if (const auto* copy = std::get_if<CUDA_MEMCPY3D>(&node.work)) visit(*copy);
    if (const auto* set = std::get_if<CUDA_MEMSET_NODE_PARAMS>(&node.work)) visit(*set);
    if (const auto* child = std::get_if<GraphWork>(&node.work)) child->for_each(visit);
  }
}

}  // namespace coalescope::cupti
