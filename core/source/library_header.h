#pragma once
// Which source files belong to a library whose functions are inlined into the code of its users.

#include <string_view>

namespace coalescope::source {

// Headers of the CUDA Toolkit (also of its Python packages) and the functions that come with Triton: the line
// that calls them is the user's own, and theirs nobody would change.
[[nodiscard]] bool is_library_header(std::string_view file);

}  // namespace coalescope::source
