// E: the machine and its bandwidths.

#include "kernels/answers/expected_parts.h"
#include "kernels/answers/geometry.h"

namespace coalescope::kernels {
namespace {

// E1. All threads go over the two arrays with 8 loads and 8 stores each.
void add_ceilings(std::vector<Case>& all) {
  constexpr WarpAccess kPasses{kL2Passes, 128, 4};
  all.push_back(single("E1", "l2_copy", "copy that stays in L2", 2 * kL2Threads * kL2Passes * kWordBytes,
                       Work{kL2Threads, kPasses, kPasses}));
}

}  // namespace

void add_machine_cases(std::vector<Case>& all) {
  add_ceilings(all);
}

}  // namespace coalescope::kernels
