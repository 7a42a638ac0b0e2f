#pragma once
// Turns a capture that nobody writes any more into one plain file.

#include <string>

#include "core/base/error.h"
#include "core/capture/database.h"

namespace coalescope::capture {

// Brings the log into the file, adds the indexes that reports use, and leaves nothing beside it: it can then
// be copied, and read where its folder cannot be written to. Sealing twice does no harm.
[[nodiscard]] base::Result<void> seal(const std::string& path);
// The same for whoever has it open and wrote it.
[[nodiscard]] base::Result<void> seal(Database& database);

}  // namespace coalescope::capture
