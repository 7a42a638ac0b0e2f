#pragma once
// What the kernels of an executable CUDA graph lack, and whether a launch of it is to be replaced by launches
// of its nodes so that they can be measured. Changed by the thread that launches the graph.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/model/ids.h"
#include "injection/recorder/group_table.h"

namespace coalescope::recorder {

enum class Wish {
  now,
  later,
  never,  // it must not be done
};

// Kernels of one group whose nodes were made at one place.
struct GraphKernels {
  Group* group = nullptr;
  std::optional<model::CallSiteId> made;  // nullopt: not known
  std::int64_t kernels = 0;
};
// What one launch of a graph runs.
struct GraphCounts {
  std::vector<GraphKernels> kernels;
  // Where records do not find these groups by themselves: the number of the list that tells them
  // (GroupTable::list_groups). The launch cannot be counted where it is made.
  std::optional<std::uint32_t> list;
};

// The ids by which records call the kernels of a graph, as far as they are known, in the order of the
// kernels.
struct GraphNodes {
  std::span<const std::uint64_t> ids;
  bool sure = true;  // that records call them so
};

class GraphNeeds {
 public:
  std::vector<Group*> groups;  // of its kernels
  // nullptr: its kernels are not known.
  std::shared_ptr<const GraphCounts> counts;

  void forget() {
    groups.clear();
    counts.reset();
  }

  // Counts the launch.
  [[nodiscard]] Wish wish();
  // As the last launch found it; true at first.
  [[nodiscard]] bool lacks() const { return lacks_; }
  // A launch was replaced, and a kernel was `measured` or none. If none, more and more launches pass before
  // the next.
  void taken_apart(bool measured);

 private:
  int rest_ = 0;  // launches to let pass
  int next_rest_ = 1;
  bool lacks_ = true;
};

}  // namespace coalescope::recorder
