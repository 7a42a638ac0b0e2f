#pragma once
// Brings what one process recorded into the capture of the whole run.

#include <string>

#include "core/base/error.h"

namespace coalescope::capture {

// Adds all rows of the part but its `capture` row, with new ids. The part may have been left by a process
// that was killed; it is not changed. On an error the target is as it was.
[[nodiscard]] base::Result<void> merge_into(const std::string& target_path, const std::string& part_path);

}  // namespace coalescope::capture
