#pragma once
// Finds programs: the target, as a shell finds it, and the files that are installed with coalescope.

#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace coalescope::tool {

// The file that a shell would run for `name`: as it is when it holds a slash, else the first match in PATH.
// ErrorCode::not_found is a shell's 127, not_permitted its 126.
[[nodiscard]] base::Result<std::string> find_program(const std::string& name);

// A file that belongs to coalescope, by name: beside the running binary (a build tree), or in
// ../lib/coalescope (installed).
[[nodiscard]] base::Result<std::filesystem::path> find_companion(const std::string& file_name);

}  // namespace coalescope::tool
