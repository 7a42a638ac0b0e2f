#pragma once
// Runs a program of coalescope's own, out of sight: no input, no output, and its words for us alone.

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace coalescope::tool {

// The error is the program's last line on stderr, or how it ended.
[[nodiscard]] base::Result<void> run_helper(const std::filesystem::path& program,
                                            const std::vector<std::string>& arguments);

}  // namespace coalescope::tool
