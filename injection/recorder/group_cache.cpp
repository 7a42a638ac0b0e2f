#include "injection/recorder/group_cache.h"

#include <array>
#include <cstddef>

namespace coalescope::recorder {
namespace {

constexpr std::size_t kCachedGroups = 512, kCachedLayouts = 256;
// Without a destructor: a thread may launch while its other variables are destroyed.
thread_local std::array<CachedGroup, kCachedGroups> cached_groups;
thread_local std::array<CachedLayout, kCachedLayouts> cached_layouts;

}  // namespace

// By the shape, too: programs whose grids change with each launch have hundreds of groups of one function.
CachedGroup& cached_group(const LaunchInfo& launch) {
  std::uint64_t mixed = launch.function;
  const auto mix = [&mixed](std::uint64_t value) { mixed = (mixed ^ value) * 0x9E3779B97F4A7C15U; };
  for (const auto size : launch.shape.grid) mix(static_cast<std::uint64_t>(size));
  for (const auto size : launch.shape.block) mix(static_cast<std::uint64_t>(size));
  return cached_groups[(mixed >> 32) % kCachedGroups];
}

CachedLayout& cached_layout(const LaunchInfo& launch) {
  return cached_layouts[(launch.function * 0x9E3779B97F4A7C15U >> 32) % kCachedLayouts];
}

}  // namespace coalescope::recorder
