#include "injection/recorder/graph_needs.h"

#include <algorithm>

namespace coalescope::recorder {
namespace {

constexpr int kMostLaunchesToPass = 4096;

// It waits for kernels that run beside it: launched one by one, the first could wait for ever.
bool needs_company(const Group* group) {
  return group->may_never_end || group->reason == model::CoverageReason::skip_listed;
}

}  // namespace

Wish GraphNeeds::wish() {
  if (std::any_of(groups.begin(), groups.end(), needs_company)) return Wish::never;
  lacks_ = false;
  bool asks = false;
  for (Group* group : groups) {
    if (group->satisfied.load(std::memory_order_acquire)) continue;
    lacks_ = true;
    asks = !group->needs.rests() || asks;
  }
  if (rest_ > 0) --rest_;
  return asks && rest_ == 0 ? Wish::now : Wish::later;
}

void GraphNeeds::taken_apart(bool measured) {
  next_rest_ = measured ? 1 : std::min(2 * next_rest_, kMostLaunchesToPass);
  rest_ = measured ? 0 : next_rest_;
}

}  // namespace coalescope::recorder
