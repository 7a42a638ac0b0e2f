#pragma once
// Bounds what reading a file may take of the machine's memory: captures and programs come from anywhere.

#include <cstdint>

namespace coalescope::base {

// From now on this process gets so much more memory at most; asking for more throws std::bad_alloc. False:
// the limit could not be set.
[[nodiscard]] bool limit_memory(std::int64_t mib);

}  // namespace coalescope::base
