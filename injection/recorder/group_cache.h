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

// How the parameters of a function lie: as layout_of() says it, 0: the driver does not tell.
struct CachedLayout {
  std::uint64_t generation = 0;
  std::uint64_t function = 0;
  std::uint64_t layout = 0;

  [[nodiscard]] bool is_of(const LaunchInfo& launch, std::uint64_t now) const {
    return generation == now && function == launch.function;
  }
};

// What launches with these parameters do. The key has all in it that decides.
struct CachedVariant {
  std::uint64_t key = 0;
  Group* group = nullptr;
};

// Where it is remembered, or where it can be; nullptr: there is no memory to remember it.
[[nodiscard]] CachedGroup* cached_group(const LaunchInfo& launch, std::uint64_t generation);
[[nodiscard]] CachedLayout* cached_layout(const LaunchInfo& launch, std::uint64_t generation);
[[nodiscard]] CachedVariant* cached_variant(std::uint64_t key);

}  // namespace coalescope::recorder
