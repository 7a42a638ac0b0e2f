#pragma once
// What the kernels of an executable CUDA graph lack, and whether a launch of it is to be replaced by launches
// of its nodes so that they can be measured. Changed by the thread that launches the graph.

#include <vector>

#include "injection/recorder/group_table.h"

namespace coalescope::recorder {

enum class Wish {
  now,
  later,
  never,  // it must not be done
};

class GraphNeeds {
 public:
  std::vector<Group*> groups;  // of its kernels

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
