#pragma once
// Captures written as SQL, so that a test's input can be read and reviewed: the schema comes from
// core/capture, the catalogue of metrics is there already, the file says the rest.

#include <filesystem>

namespace coalescope::golden {

// Throws with SQLite's message when the SQL is wrong: such a test must not run.
void make_capture(const std::filesystem::path& sql, const std::filesystem::path& capture);

}  // namespace coalescope::golden
