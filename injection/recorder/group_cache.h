#pragma once
// The groups that this thread launched last, so that a launch takes no lock.

#include <cstdint>

#include "injection/recorder/launch_info.h"

namespace coalescope::recorder {

struct Group;

struct CachedGroup {
  std::uint64_t generation = 0;  // of the functions: a handle may be used again for another function
  std::uint64_t function = 0;
  ContextHandle context;
  Shape shape;
  Group* group = nullptr;

  [[nodiscard]] bool is_of(const LaunchInfo& launch, std::uint64_t now) const {
    return generation == now && function == launch.function && context == launch.context &&
           shape == launch.shape;
  }
};

// Where the launch's group is remembered, or another's.
[[nodiscard]] CachedGroup& cached_group(const LaunchInfo& launch);

}  // namespace coalescope::recorder
