#pragma once
// Tells a capture from another file by its first bytes alone, without opening it as a database.

#include <string>

namespace coalescope::capture {

// True also for a capture that is damaged behind its header, or of another schema.
[[nodiscard]] bool is_capture(const std::string& path);

}  // namespace coalescope::capture
