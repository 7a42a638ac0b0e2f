#pragma once
// The groups that this thread launched last, so that a launch takes no lock.

#include <cstdint>

#include "injection/recorder/launch_info.h"

namespace coalescope::recorder {

struct Group;

// The key is a hash of all that decides. An entry is small, because what a launch looks at has left the
// processor's caches since the last launch.
struct CachedGroup {
  std::uint64_t key = 0;
  Group* group = nullptr;
};

// How the parameters of a function lie: as layout_of() says it, 0: the driver does not tell.
struct CachedLayout {
  std::uint64_t generation = 0;
  std::uint64_t function = 0;
  std::uint64_t layout = 0;

  [[nodiscard]] bool is_of(const LaunchInfo& launch, std::uint64_t now) const {
    return generation == now && function == launch.function;
  }
};

// What launches with these parameters do.
struct CachedVariant {
  std::uint64_t key = 0;
  Group* group = nullptr;
};

// Of function, context and shape. `generation`: of the functions; a handle may be used again for another one.
[[nodiscard]] std::uint64_t group_key(const LaunchInfo& launch, std::uint64_t generation);

// Where it is remembered, or where it can be; nullptr: there is no memory to remember it.
[[nodiscard]] CachedGroup* cached_group(std::uint64_t key);
[[nodiscard]] CachedLayout* cached_layout(const LaunchInfo& launch, std::uint64_t generation);
[[nodiscard]] CachedVariant* cached_variant(std::uint64_t key);

}  // namespace coalescope::recorder
