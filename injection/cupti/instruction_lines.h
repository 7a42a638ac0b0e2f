#pragma once
// The source lines of GPU instructions: of a part, once its process has ended, or of a capture that still has
// the code of instructions without a line.

#include <string>

#include "core/base/error.h"

namespace coalescope::cupti {

// Needs libcupti but no GPU, and where the code has no lines not even that, which saves each run of such a
// program 0.1 s. Code whose lines were not found stays in the file.
[[nodiscard]] base::Result<void> find_instruction_lines(const std::string& path,
                                                        const std::string& recorded_with);

}  // namespace coalescope::cupti
