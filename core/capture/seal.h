#pragma once
// Turns a capture that nobody writes any more into one plain file.

#include <string>

#include "core/base/error.h"
#include "core/capture/database.h"

namespace coalescope::capture {

// Brings the log into the file, adds the indexes that reports use, joins
// groups that do the same (kernel_group.same_as), and leaves nothing beside it: it can then
// be copied, and read where its folder cannot be written to. Sealing twice does no harm.
[[nodiscard]] base::Result<void> seal(const std::string& path);
// The same for whoever has it open and wrote it.
[[nodiscard]] base::Result<void> seal(Database& database);

// Some process is writing this file. That ends with the process, however it ends.
[[nodiscard]] bool is_open_elsewhere(const std::string& path);

}  // namespace coalescope::capture
