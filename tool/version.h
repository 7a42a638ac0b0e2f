#pragma once
// Which coalescope this is.

#include <string>
#include <string_view>

namespace coalescope::tool {

// "0.1.0", from the project's CMake file.
std::string_view version();

// "coalescope 0.1.0", then a line for each of its parts: what it reads and writes, and where what it records
// with lies.
[[nodiscard]] std::string version_text();

}  // namespace coalescope::tool
