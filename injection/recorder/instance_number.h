#pragma once
// Numbers that are unique in the process. What a thread remembers of one object bears its number, and so
// never serves another object that takes its place.

#include <atomic>
#include <cstdint>

namespace coalescope::recorder {

[[nodiscard]] inline std::uint64_t next_instance_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace coalescope::recorder
