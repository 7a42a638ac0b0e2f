#pragma once
// Reads the nodes of graphs.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "injection/cupti/driver_api.h"
#include "injection/cupti/graph_api.h"

namespace coalescope::cupti {

// What a kernel needs to be launched again.
struct GraphKernel {
  CUgraphNode node = nullptr;
  std::string name;               // mangled
  CUfunction function = nullptr;  // or a kernel of a library in a function's clothes
  bool of_library = false;        // which of the two
  CUcontext context = nullptr;    // that it runs in; nullptr: the graph does not tell
  CUlaunchConfig config{};        // without stream and attributes
  std::vector<CUlaunchAttribute> attributes;
  std::vector<std::byte> parameters;  // of all of them
  std::vector<std::size_t> offsets;   // of each in there
};

// By any thread. An Error says why the node cannot be read, or must not be launched without its graph.
class GraphReader {
 public:
  GraphReader(const DriverApi& driver, const GraphApi& api) : driver_(driver), api_(api) {}

  [[nodiscard]] const GraphApi& api() const { return api_; }

  // In an order that their dependencies allow.
  [[nodiscard]] base::Result<std::vector<CUgraphNode>> nodes(CUgraph graph) const;
  [[nodiscard]] base::Result<CUgraphNodeType> type(CUgraphNode node) const;
  [[nodiscard]] base::Result<GraphKernel> kernel(CUgraphNode node);
  [[nodiscard]] base::Result<GraphKernel> kernel(const CUDA_KERNEL_NODE_PARAMS& params);  // no attributes
  [[nodiscard]] base::Result<CUDA_MEMCPY3D> copy(CUgraphNode node) const;
  [[nodiscard]] base::Result<CUDA_MEMCPY3D> copy(const CUDA_MEMCPY3D& params) const;
  [[nodiscard]] base::Result<CUDA_MEMSET_NODE_PARAMS> set(CUgraphNode node) const;
  [[nodiscard]] base::Result<CUgraph> child(CUgraphNode node) const;

  // Handles of functions may be used again.
  void functions_changed();

 private:
  struct Function {
    std::string name;
    std::vector<recorder::ParameterPlace> parameters;
  };

  [[nodiscard]] base::Result<Function> function(CUfunction handle);

  const DriverApi& driver_;
  const GraphApi& api_;
  std::mutex mutex_;
  std::unordered_map<CUfunction, Function> functions_;
  std::uint64_t changes_ = 0;  // of functions
};

}  // namespace coalescope::cupti
