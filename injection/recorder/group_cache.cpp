#include "injection/recorder/group_cache.h"

#include "core/base/mixed.h"
#include "injection/recorder/thread_table.h"

namespace coalescope::recorder {

// By the shape, too: programs whose grids change with each launch have hundreds of groups of one function.
std::uint64_t group_key(const LaunchInfo& launch, std::uint64_t generation) {
  std::uint64_t key = base::mixed(base::mixed(generation, launch.function), launch.context.handle);
  key = base::mixed(
      key, std::uint64_t{launch.context.uid} << 32U | static_cast<std::uint32_t>(launch.context.device));
  return base::mixed(key, &launch.shape, sizeof launch.shape);
}

CachedGroup* cached_group(std::uint64_t key) {
  return ThreadTable<CachedGroup, 2048, 4>::find(key,
                                                 [key](const CachedGroup& each) { return each.key == key; });
}

CachedLayout* cached_layout(const LaunchInfo& launch, std::uint64_t generation) {
  return ThreadTable<CachedLayout, 512>::find(base::mixed(launch.function, 0), [&](const CachedLayout& each) {
    return each.is_of(launch, generation);
  });
}

CachedVariant* cached_variant(std::uint64_t key) {
  return ThreadTable<CachedVariant, 2048, 4>::find(
      key, [key](const CachedVariant& each) { return each.key == key; });
}

}  // namespace coalescope::recorder
