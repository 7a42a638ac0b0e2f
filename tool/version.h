#pragma once
// Which coalescope this is.

#include <string_view>

namespace coalescope::tool {

// "0.1.0", from the project's CMake file.
std::string_view version();

}  // namespace coalescope::tool
