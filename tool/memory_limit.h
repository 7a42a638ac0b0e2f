#pragma once
// Bounds what a report may take of the machine's memory: captures come from anywhere.

#include <cstdint>

namespace coalescope::tool {

inline constexpr std::int64_t kReportMib = 1000;

// From now on this process gets so much more memory at most; asking for more throws std::bad_alloc. False:
// the limit could not be set.
[[nodiscard]] bool limit_memory(std::int64_t mib);

}  // namespace coalescope::tool
