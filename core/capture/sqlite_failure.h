#pragma once
// Turns SQLite's result codes into failures that a person can act on.

#include <string>
#include <string_view>

#include "core/base/error.h"

struct sqlite3;

namespace coalescope::capture {

// `doing` is what could not be done: "read", "write". The connection may be the remains of a failed open.
[[nodiscard]] base::Failure sqlite_failure(sqlite3* connection, int status, std::string_view doing,
                                           const std::string& path);

// For a connection that is open: what it was opened for says what was being done.
[[nodiscard]] base::Failure sqlite_failure(sqlite3* connection, int status);

}  // namespace coalescope::capture
