#include "injection/recorder/group_cache.h"

#include "injection/recorder/thread_table.h"

namespace coalescope::recorder {

// By the shape, too: programs whose grids change with each launch have hundreds of groups of one function.
CachedGroup* cached_group(const LaunchInfo& launch, std::uint64_t generation) {
  std::uint64_t mixed = launch.function;
  const auto mix = [&mixed](std::uint64_t value) { mixed = (mixed ^ value) * 0x9E3779B97F4A7C15U; };
  for (const auto size : launch.shape.grid) mix(static_cast<std::uint64_t>(size));
  for (const auto size : launch.shape.block) mix(static_cast<std::uint64_t>(size));
  return ThreadTable<CachedGroup, 1024>::find(
      mixed >> 32, [&](const CachedGroup& each) { return each.is_of(launch, generation); });
}

CachedLayout* cached_layout(const LaunchInfo& launch, std::uint64_t generation) {
  return ThreadTable<CachedLayout, 512>::find(
      launch.function * 0x9E3779B97F4A7C15U >> 32,
      [&](const CachedLayout& each) { return each.is_of(launch, generation); });
}

CachedVariant* cached_variant(std::uint64_t key) {
  return ThreadTable<CachedVariant, 2048, 4>::find(
      key, [key](const CachedVariant& each) { return each.key == key; });
}

}  // namespace coalescope::recorder
