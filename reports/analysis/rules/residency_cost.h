#pragma once
// What L2 windows cost whose lines throw each other out: R01 of one window, R03 of several streams.

#include <span>

#include "reports/analysis/rules/gain.h"

namespace coalescope::analysis {

// What it costs that more is to persist than was set aside.
struct Persisting {
  double window = 0;  // bytes of a kernel's own L2 window
  double wanted = 0;  // bytes that are to persist, in all L2 windows
  bool of_several =
      false;  // streams; a launch is measured alone, so that its counters do not show the others
};
[[nodiscard]] Cost thrashing_cost(std::span<const KernelUse> users, const Persisting& bytes,
                                  const Machine& machine);

}  // namespace coalescope::analysis
