#pragma once
// Says whether a file is a capture that this build can read. Version 1 is the first schema: the step that
// brings an older file forward belongs here once there is one.

#include <string>

#include "core/base/error.h"
#include "core/capture/database.h"

namespace coalescope::capture {

// Refuses what is no file, is empty or cannot be read, before SQLite opens it: opening a pipe would wait.
[[nodiscard]] base::Result<void> check_file(const std::string& path);

// Compares application id, version and each table with the declarations.
[[nodiscard]] base::Result<void> check_schema(Database& database);

}  // namespace coalescope::capture
