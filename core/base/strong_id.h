#pragma once
// Row ids that cannot pass for one another: a LaunchId does not convert into a GroupId.

#include <compare>
#include <cstdint>
#include <functional>

namespace coalescope::base {

template <class Tag>
struct StrongId {
  std::int64_t value = 0;  // 0 is "no row": ids in a capture begin at 1

  auto operator<=>(const StrongId&) const = default;
};

}  // namespace coalescope::base

template <class Tag>
struct std::hash<coalescope::base::StrongId<Tag>> {
  std::size_t operator()(coalescope::base::StrongId<Tag> id) const noexcept {
    return std::hash<std::int64_t>{}(id.value);
  }
};
